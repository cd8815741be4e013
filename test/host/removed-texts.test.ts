/** A client whose program is updated or removed while it runs. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { bundled } from '../bundled.ts'
import { environmentForNode } from '../main/cli/command.ts'

// A bundle without the folder of the languages next to it.
const CLIENT = await bundled(resolve(import.meta.dirname, '../../src/client/mediatray.ts'))

test.runIf(process.platform === 'linux')('a client that lost its texts reports in English', async () => {
  const env = { ...environmentForNode(), LANG: 'de_DE.UTF-8', MEDIATRAY_DATA_DIR: '/proc/x/y' }
  const child = spawn(process.execPath, [CLIENT, 'outbox'], { env })
  const [stderr] = await Promise.all([text(child.stderr), once(child, 'close')])
  expect([child.exitCode, stderr]).toEqual([
    4,
    'Couldn’t create the folder for Mediatray’s data: ' +
      "ENOENT: no such file or directory, mkdir '/proc/x'\n",
  ])
})
