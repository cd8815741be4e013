import { expect, it } from 'vitest'
import {
  createKeepAwake,
  sleepComputer,
  type RunCommand,
} from '../../../src/main/desktop/integration/computer-sleep.ts'

function setUp(error: Error | null = null) {
  const ran: string[] = []
  const logged: string[] = []
  const run: RunCommand = (program, args, done) => {
    ran.push([program, ...args].join(' '))
    done(error)
  }
  return {
    ran,
    logged,
    sleep: (platform: NodeJS.Platform) => sleepComputer(platform, (line) => logged.push(line), run),
  }
}

it.each([
  ['linux', 'systemctl suspend'],
  ['darwin', 'pmset sleepnow'],
  ['win32', 'powershell.exe -NoProfile .*SetSuspendState\\("Suspend", \\$false, \\$false\\)'],
] as const)('puts the computer to sleep on %s with its own command', (platform, command) => {
  const { ran, logged, sleep } = setUp()
  sleep(platform)
  expect(ran).toEqual([expect.stringMatching(`^${command}$`)])
  expect(logged).toEqual([])
})

it('runs nothing on an unknown system', () => {
  const { ran, sleep } = setUp()
  sleep('aix')
  expect(ran).toEqual([])
})

it('continues and logs the reason if the command fails', () => {
  const { logged, sleep } = setUp(new Error('Access denied'))
  sleep('linux')
  expect(logged).toEqual(['could not suspend the computer: Access denied'])
})

it('keeps the computer awake with a single blocker while jobs are running and the setting is on', () => {
  const said: string[] = []
  const awake = createKeepAwake({
    start: (type) => said.push(type),
    stop: (id) => said.push(`stop ${id}`),
  })
  awake.update({ wanted: false, working: true })
  awake.update({ wanted: true, working: true })
  awake.update({ wanted: true, working: true })
  awake.update({ wanted: true, working: false })
  awake.update({ wanted: true, working: true })
  awake.update({ wanted: false, working: true })
  awake.close()
  expect(said).toEqual(['prevent-app-suspension', 'stop 1', 'prevent-app-suspension', 'stop 3'])
})
