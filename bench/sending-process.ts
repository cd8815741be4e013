/** Runs `sendAll` for bench/outbox.ts with tick measurement, in a fresh process like an app that opens its outbox. */
import { sendAll } from './send-all.ts'
import { watchTicks } from './ticks.ts'

const [folder = '', waiting = '0'] = process.argv.slice(2)
process.stdout.write(JSON.stringify(await sendAll(folder, Number(waiting), watchTicks)))
