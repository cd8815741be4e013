// A minimal command that asks a running process: proves that it knows a key, and prints the answer. Usage:
// node bench/bare-client.mjs SOCKET KEY_FILE
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'

const [socket, keyFile] = process.argv.slice(2)
const proof = createHmac('sha256', readFileSync(keyFile)).update('history').digest('hex')
connect(socket, function () {
  this.write(JSON.stringify({ argv: ['history'], proof }))
}).pipe(process.stdout)
