/** A program and a server that follow jobs, in moods that the test chooses. Both count the tries of each action. */
import { existsSync, readdirSync, readFileSync, rmSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { JobReport } from '../../../src/shared/model/job-report.ts'
import type { DirectAction } from '../../../src/shared/model/hook-state.ts'
import { programIn } from '../../main/hooks/hooked.ts'
import { listenLocally } from '../../local-server.ts'

export const MOODS = ['accepts', 'fails', 'floods', 'hangs'] as const
export type Mood = (typeof MOODS)[number]

export type HookTargets = {
  readonly program: string
  readonly url: string
  setMood(action: DirectAction, mood: Mood): void
  /** Returns the actions of which a try that must be killed has begun since the last call. */
  hanging(): readonly DirectAction[]
  /** How often each action was tried, by its ID. */
  tries(action: DirectAction): ReadonlyMap<string, number>
  close(): Promise<void>
}

const FLOOD_BYTES = 1_000_000

const script = (folder: string): string => `
report="$$-$(date +%s%N)"
cat > '${folder}/'"$report" && mv '${folder}/'"$report" '${folder}/tries/'
read -r mood < '${folder}/mood'
case "$mood" in
  fails) echo 'not today' >&2; exit 3 ;;
  floods) head -c ${FLOOD_BYTES} /dev/zero ;;
  hangs) : > '${folder}/hanging'; exec sleep 900 ;;
esac`

/** @param folder empty; the program keeps its reports there until they are counted */
export async function openHookTargets(folder: string): Promise<HookTargets> {
  const counts = { program: new Map<string, number>(), url: new Map<string, number>() }
  const reports = join(folder, 'tries')
  const [moodFile, hangingFile] = [join(folder, 'mood'), join(folder, 'hanging')]
  mkdirSync(reports, { recursive: true })
  writeFileSync(moodFile, 'accepts')
  let urlMood: Mood = 'accepts'
  let requestHangs = false

  function count(action: DirectAction, body: string): void {
    const { id } = JobReport.parse(JSON.parse(body))
    counts[action].set(id, (counts[action].get(id) ?? 0) + 1)
  }

  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (part: string) => (body += part))
    request.on('end', () => {
      count('url', body)
      if (urlMood === 'hangs') requestHangs = true
      else if (urlMood === 'fails') response.writeHead(503).end()
      else response.end(urlMood === 'floods' ? Buffer.alloc(FLOOD_BYTES) : '')
    })
  })
  const { port, close } = await listenLocally(server)
  onTestFinished(close)

  return {
    program: programIn(folder, 'hook', script(folder)),
    url: `http://127.0.0.1:${port}/hook`,
    setMood(action, mood) {
      if (action === 'program') writeFileSync(moodFile, mood)
      else urlMood = mood
    },
    hanging() {
      const found: DirectAction[] = requestHangs ? ['url'] : []
      requestHangs = false
      if (existsSync(hangingFile)) {
        rmSync(hangingFile)
        found.push('program')
      }
      return found
    },
    tries(action) {
      if (action === 'program') {
        for (const name of readdirSync(reports)) {
          count(action, readFileSync(join(reports, name), 'utf8'))
          rmSync(join(reports, name))
        }
      }
      return counts[action]
    },
    close,
  }
}
