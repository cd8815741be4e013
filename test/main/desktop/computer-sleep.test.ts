import { expect, it } from 'vitest'
import { sleepComputer, type RunCommand } from '../../../src/main/desktop/integration/computer-sleep.ts'

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
  ['win32', 'rundll32.exe powrprof.dll,SetSuspendState 0,1,0'],
] as const)('sends the computer to sleep on %s with its own command', (platform, command) => {
  const { ran, logged, sleep } = setUp()
  sleep(platform)
  expect(ran).toEqual([command])
  expect(logged).toEqual([])
})

it('runs nothing on a system whose command is not known', () => {
  const { ran, sleep } = setUp()
  sleep('aix')
  expect(ran).toEqual([])
})

it('goes on and says why where the computer does not sleep', () => {
  const { logged, sleep } = setUp(new Error('Access denied'))
  sleep('linux')
  expect(logged).toEqual(['the computer could not be sent to sleep: Access denied'])
})
