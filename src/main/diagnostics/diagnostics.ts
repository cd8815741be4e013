/** The report that a person can send to somebody who helps: what is installed, chosen and going on, and nobody's business. */
import type { AppState } from '../../shared/model/app-state.ts'
import type { Settings } from '../../shared/model/settings.ts'
import { createRedactor, type Identities } from './redact.ts'

export type DiagnosticsOptions = {
  /** Such as the app's, Electron's, the system's. */
  readonly versions: () => Readonly<Record<string, string>>
  readonly settings: () => Settings
  /** Undefined where there is no running app to ask, as on the command line. */
  readonly state: () => AppState | undefined
  /** The newest last. */
  readonly logTail: () => Promise<readonly string[]>
  readonly identities: () => Identities
  /** ms since 1970. */
  readonly clock: () => number
}

export interface Diagnostics {
  /** Plain text, a few hundred lines. Never throws for what it reports on: what can't be read is said in its place. */
  text(): Promise<string>
}

export function createDiagnostics(options: DiagnosticsOptions): Diagnostics {
  return {
    async text() {
      const settings = options.settings()
      const state = options.state()
      const identities = options.identities()
      const redactor = createRedactor({
        ...identities,
        fileNames: [...identities.fileNames, ...namesIn(state)],
      })
      const lines = await options
        .logTail()
        .catch((error: unknown) => [`The log can't be read: ${String(error)}`])
      const show = (value: unknown) => JSON.stringify(redactor.value(value), undefined, 2)
      return [
        'Mediatray diagnostics',
        new Date(options.clock()).toISOString(),
        'Keys, names, addresses and paths are replaced by stand-ins.',
        section('Versions', show(options.versions())),
        section('Settings', show(withoutFolderIds(settings))),
        section('State', state === undefined ? 'The app was not asked.' : show(summaryOf(state))),
        section('Log', lines.map((line) => logLine(line, redactor)).join('\n')),
        '',
      ].join('\n')
    },
  }
}

const section = (title: string, body: string): string => `\n${title}\n${'-'.repeat(title.length)}\n${body}`

/** Numbers and kinds; nothing that a person has written. */
function summaryOf(state: AppState): Readonly<Record<string, unknown>> {
  const { connection, jobs, queue, outbox, outboxPaused, draft, unseen, historyVersion, notices } = state
  return {
    connection: {
      kind: connection.kind,
      baseUrl: connection.baseUrl,
      seesFiles: connection.seesFiles,
      key: connection.key,
      keychainTrouble: connection.keychainTrouble,
      state: connection.state,
      presets: connection.presets && {
        image: connection.presets.image.length,
        video: connection.presets.video.length,
      },
    },
    jobs: jobs.map(({ stage, progress, files, variations, origin }) => ({
      stage,
      share: progress.share,
      phase: progress.phase,
      files,
      variations,
      origin,
    })),
    queue,
    outbox: outbox.map(({ state: { kind, ...rest }, files, variations }) => ({
      kind,
      because: 'because' in rest ? rest.because : undefined,
      why: 'why' in rest ? rest.why : undefined,
      message: 'message' in rest ? rest.message : undefined,
      files,
      variations,
    })),
    outboxPaused,
    draft: {
      files: draft.source.kind === 'files' ? draft.source.items.length : null,
      rejected: draft.rejected.map(({ reason, detail }) => ({ reason, detail })),
      grouping: draft.grouping,
      variations: draft.variations,
    },
    unseen,
    historyVersion,
    notices,
  }
}

/** Ids of cloud drive folders open a folder to whoever has the right to it. */
function withoutFolderIds(settings: Settings): unknown {
  return JSON.parse(JSON.stringify(settings), (name, value: unknown) =>
    name === 'folderId' && typeof value === 'string' ? '[hidden]' : value,
  )
}

/** Names that the app has on show; they may stand in the log without their folders. */
function namesIn(state: AppState | undefined): readonly string[] {
  if (state === undefined) return []
  const { draft, jobs, outbox, lastProblem, lastResult } = state
  const titles = [...jobs, ...outbox, lastProblem, lastResult].filter((title) => title !== null)
  const items = draft.source.kind === 'files' ? draft.source.items : []
  return [
    ...titles.flatMap(({ name, firstPath, driveInput }) => [name, firstPath ?? '', driveInput ?? '']),
    ...[...items, ...draft.rejected].flatMap(({ name, path }) => [name, path]),
    ...jobs.flatMap(({ doneFiles, progress }) => [...doneFiles, progress.fileName ?? '']),
  ].flatMap((name) => [name, stemOf(name)])
}

/** Of a name that is long enough to be told from an ordinary word. */
function stemOf(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot > 5 ? name.slice(0, dot) : ''
}

/** A line that is no JSON is redacted as it stands. */
function logLine(
  line: string,
  redactor: { text(text: string): string; value(value: unknown): unknown },
): string {
  try {
    return JSON.stringify(redactor.value(JSON.parse(line)))
  } catch {
    return redactor.text(line)
  }
}
