/** Moves jobs in an outbox until it is killed. Prints the number of each move. Arguments: folder, number of the first move. */
import { writeSync } from 'node:fs'
import { move, openIn } from './moves.ts'

const [folder = '', first] = process.argv.slice(2)

const outbox = openIn(folder)
for (let n = Number(first); ; n += 1) {
  move(outbox, n)
  writeSync(1, `${n}\n`)
}
