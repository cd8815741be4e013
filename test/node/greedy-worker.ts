/** A worker that allocates memory until it is stopped: all at once, or in small steps with pauses. */
import { connectToParent } from '../../src/media/parent-process.ts'

const taken: Buffer[] = []
const take = (): void => void taken.push(Buffer.alloc(2 ** 24, 1))

type Request = { readonly how: 'at once' | 'bit by bit' }
const send = connectToParent((message) => {
  const { how } = message as Request
  send({ taken: true })
  if (how === 'bit by bit') setInterval(take, 10)
  // Allocate only after the response has been sent.
  else setTimeout(allocateForever, 100)
})

/** Using the memory would only take time, because the system's limit counts what is allocated. */
function allocateForever(): never {
  for (;;) taken.push(Buffer.allocUnsafeSlow(2 ** 24))
}
