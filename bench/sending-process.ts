/** The watched sending of bench/outbox.ts, in a process that has just started, as the app has when it opens its outbox. */
import { sendAll } from './send-all.ts'
import { watchTurns } from './turns.ts'

const [folder = '', waiting = '0'] = process.argv.slice(2)
process.stdout.write(JSON.stringify(await sendAll(folder, Number(waiting), watchTurns)))
