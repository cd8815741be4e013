/** Damages a file as chance or an attacker would. The same random numbers produce the same file. */

/** Boundary values of counts, sizes and offsets. */
const EDGES = [0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff]
const LARGEST = 256 * 1024

type Random = () => number
const below = (random: Random, limit: number): number => Math.floor(random() * limit)

export function mutated(seed: Buffer, random: Random): Buffer {
  let file: Buffer = Buffer.from(seed)
  for (let left = 1 + below(random, 6); left > 0; left--) {
    const kind = MUTATIONS[below(random, MUTATIONS.length)]
    if (kind !== undefined) file = kind(file, random)
  }
  return file
}

type Mutation = (file: Buffer, random: Random) => Buffer

const changeByte: Mutation = (file, random) => {
  file[below(random, file.length)] = below(random, 256)
  return file
}

const writeEdge: Mutation = (file, random) => {
  const width = [1, 2, 4][below(random, 3)] ?? 1
  const value = (EDGES[below(random, EDGES.length)] ?? 0) % 2 ** (8 * width)
  if (file.length < width) return file
  const at = below(random, file.length - width + 1)
  if (random() < 0.5) file.writeUIntBE(value, at, width)
  else file.writeUIntLE(value, at, width)
  return file
}

const cutOff: Mutation = (file, random) => file.subarray(0, below(random, file.length + 1))

const leaveOut: Mutation = (file, random) => {
  const from = below(random, file.length)
  return Buffer.concat([file.subarray(0, from), file.subarray(from + below(random, 64))])
}

/** Enough repetitions to expose quadratic work. */
const repeat: Mutation = (file, random) => {
  const from = below(random, file.length)
  const part = file.subarray(from, from + 1 + below(random, 64))
  const most = random() < 0.1 ? LARGEST : 1024
  const room = Math.min(most, LARGEST - file.length)
  const times = Math.max(0, Math.floor((random() * room) / Math.max(1, part.length)))
  const repeated = Buffer.alloc(part.length * times, part)
  return Buffer.concat([file.subarray(0, from), repeated, file.subarray(from)])
}

const copyOver: Mutation = (file, random) => {
  const from = below(random, file.length)
  file.copy(file, below(random, file.length), from, from + below(random, 64))
  return file
}

// Small changes keep most of a file readable, so they reach the most code.
const MUTATIONS = [
  changeByte,
  changeByte,
  writeEdge,
  writeEdge,
  writeEdge,
  cutOff,
  leaveOut,
  repeat,
  copyOver,
] as const
