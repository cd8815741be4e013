/** Runs on a private session bus, uses the keychain as the app does, and prints the outcomes. */
import { createKeychain } from '../../../src/main/connection/index.ts'

const keychain = createKeychain({ patience: 8_000 })
const [account = '', ...steps] = process.argv.slice(2)
for (const step of steps) {
  const [verb, value = ''] = step.split('=')
  const kept =
    verb === 'write'
      ? await keychain.write(account, value)
      : verb === 'remove'
        ? await keychain.remove(account)
        : await keychain.read(account)
  console.log(JSON.stringify(kept))
}
process.exit(0)
