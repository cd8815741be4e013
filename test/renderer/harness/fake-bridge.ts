/**
 * `window.mediatray` without a main process: it plays back what a fixture says and writes down what was called. This is
 * the one place for a fake, because the real main process can't be brought into every state at will. The contract types
 * it, so what the contract gains has to be answered here too.
 */
import type { AppFacts, Bridge, Events } from '../../../src/shared/ipc/contract.ts'
import type { ComparisonWish } from '../../../src/shared/ipc/arguments.ts'
import type { DriveSetup, PresetImport, PresetOverview } from '../../../src/shared/model/built-in-service.ts'
import type { WatchFolderView } from '../../../src/shared/model/watch-folder.ts'
import type { AppState, StateChange } from '../../../src/shared/model/app-state.ts'
import type { FoundService } from '../../../src/shared/model/connection.ts'
import type {
  FilmTrack,
  PreviewComparison,
  PreviewFiles,
  PreviewFilm,
  PreviewPart,
  PreviewWhole,
} from '../../../src/shared/model/preview.ts'
import type { RecordDetails, RecordSummary } from '../../../src/shared/model/work.ts'

/** What a script says of a film; the rest is drawn in the page. */
type DrawnFilm = Pick<PreviewFilm, 'start' | 'seconds' | 'filmSeconds' | 'isHdr'>

/** Plain data: it goes into the page as JSON. */
export type Script = {
  readonly facts: AppFacts
  readonly state: AppState
  readonly records: readonly RecordSummary[]
  readonly details: Readonly<Record<string, RecordDetails>>
  readonly sizes: Readonly<Record<string, number>>
  /** null: it is being looked for until the test calls `strings.find`. */
  readonly found: FoundService | null
  readonly keychainWorks: boolean
  readonly presets: PresetOverview
  /** What an import brings. */
  readonly imported: PresetImport
  readonly watch: readonly WatchFolderView[]
  readonly drive: DriveSetup
  /** What there is to preview, and what comes of it; a wish without an answer is never answered. */
  readonly preview?: {
    readonly files: PreviewFiles
    readonly part?: PreviewPart
    readonly whole?: PreviewWhole
    /** In the place of a part: drawn in the page, since JSON carries no bytes. */
    readonly film?: DrawnFilm
  }
  /** ms since 1970: the clock of the page stands still at it, until a test moves it. */
  readonly now: number
}

export type Called = { readonly name: string; readonly argument: unknown }

/** What a test reaches in the page beside the bridge. */
export type Strings = {
  readonly calls: Called[]
  emit<Name extends keyof Events>(name: Name, event: Events[Name]): void
  change(slices: Partial<AppState>): void
  state(): AppState
  find(service: FoundService): void
  records: readonly RecordSummary[]
  /** ms since 1970 */
  now: number
}

declare global {
  interface Window {
    strings: Strings
  }
}

/** Runs in the page before its own script; so it may use nothing from outside itself. */
export function installBridge(script: Script): void {
  const listeners = new Map<string, Set<(event: never) => void>>()
  const calls: Called[] = []
  let state = script.state
  let version = 1
  const emit: Strings['emit'] = (name, event) => {
    for (const listener of listeners.get(name) ?? []) Reflect.apply(listener, undefined, [event])
  }
  const looking = Promise.withResolvers<FoundService>()
  const strings: Strings = {
    find: looking.resolve,
    calls,
    emit,
    records: script.records,
    now: script.now,
    state: () => state,
    change(slices) {
      version += 1
      const { outbox, ...others } = slices
      const gone = state.outbox.map(({ id }) => id)
      const put = outbox?.map((entry, index) => [index, entry] as const)
      state = { ...state, ...slices }
      const change: StateChange = {
        since: version - 1,
        version,
        slices: others,
        ...(put === undefined ? {} : { outbox: { gone, put } }),
      }
      emit('stateChanged', change)
    },
  }
  const noted =
    <Result>(name: string, answer: (argument: never) => Result | Promise<Result>) =>
    (...values: readonly unknown[]): Promise<Result> => {
      calls.push({ name, argument: values[0] })
      return Promise.resolve(Reflect.apply(answer, undefined, values))
    }
  const nothing = (name: string) => noted<void>(name, () => undefined)
  const settle = <Result>(name: string, result: Result) => noted<Result>(name, () => result)

  const filmSize = { width: 1_280, height: 720 }
  const drawnTrack = async (blur: number): Promise<FilmTrack> => {
    const chunks: Uint8Array[] = []
    const encoder = new VideoEncoder({
      output(chunk) {
        const bytes = new Uint8Array(chunk.byteLength)
        chunk.copyTo(bytes)
        chunks.push(bytes)
      },
      error: (reason) => console.error(reason),
    })
    encoder.configure({ codec: 'vp09.00.51.08', ...filmSize, bitrate: 9_000_000 })
    const canvas = new OffscreenCanvas(filmSize.width, filmSize.height)
    const context = canvas.getContext('2d')
    const seconds = [0, 0.5, 1, 1.5, 2]
    for (const at of seconds) {
      if (context === null) break
      const sky = context.createLinearGradient(0, 0, 0, 720)
      sky.addColorStop(0, '#1d3a6e')
      sky.addColorStop(1, '#d8a07a')
      context.filter = 'none'
      context.fillStyle = sky
      context.fillRect(0, 0, 1_280, 720)
      context.filter = `blur(${blur}px)`
      context.fillStyle = '#152238'
      for (let peak = 0; peak < 9; peak += 1) {
        const x = peak * 160 - 40 + at * 20
        context.beginPath()
        context.moveTo(x - 130, 720)
        context.lineTo(x, 320 + ((peak * 83) % 160))
        context.lineTo(x + 130, 720)
        context.fill()
      }
      const frame = new VideoFrame(canvas, { timestamp: at * 1e6 })
      encoder.encode(frame, { keyFrame: at === 0 })
      frame.close()
    }
    await encoder.flush()
    const bytes = new Uint8Array(await new Blob(chunks as Uint8Array<ArrayBuffer>[]).arrayBuffer())
    const pictures = chunks.map((chunk, index) => ({ seconds: seconds[index] ?? 0, bytes: chunk.byteLength }))
    return { ...filmSize, pictures, bytes, colours: 'bt709' }
  }
  const drawnFilm = async (film: DrawnFilm) => ({
    kind: 'film' as const,
    film: {
      extent: filmSize,
      original: { width: 1_920, height: 1_080 },
      before: await drawnTrack(0),
      after: await drawnTrack(3),
      ...film,
    },
  })

  const bridge: Bridge = {
    app: {
      facts: settle('app.facts', script.facts),
      snapshot: noted('app.snapshot', () => ({ version, state })),
      openLink: nothing('app.openLink'),
      showLicences: nothing('app.showLicences'),
      copyText: nothing('app.copyText'),
      dismissNotice: nothing('app.dismissNotice'),
      stayOpen: noted('app.stayOpen', () => strings.change({ ending: null })),
      quit: nothing('app.quit'),
    },
    updates: {
      check: noted('updates.check', () => state.jobs.length === 0),
      install: settle('updates.install', true),
    },
    draft: {
      expectFiles: nothing('draft.expectFiles'),
      addPaths: nothing('draft.addPaths'),
      addImage: nothing('draft.addImage'),
      pasteFromClipboard: nothing('draft.pasteFromClipboard'),
      chooseFiles: nothing('draft.chooseFiles'),
      chooseFolder: nothing('draft.chooseFolder'),
      chooseOutput: settle('draft.chooseOutput', null),
      update: noted('draft.update', (patch: Partial<AppState['draft']>) => {
        const { driveInput: _driveInput, ...draft } = { driveInput: null, ...patch }
        strings.change({ draft: { ...state.draft, ...draft } })
      }),
      removeItems: nothing('draft.removeItems'),
      removeRejected: noted('draft.removeRejected', () => {
        strings.change({ draft: { ...state.draft, rejected: [] } })
      }),
      clear: nothing('draft.clear'),
      undo: nothing('draft.undo'),
      answerIntake: nothing('draft.answerIntake'),
      start: settle('draft.start', { ok: true, ids: [] } as const),
    },
    work: {
      details: noted('work.details', (id: string) => script.details[id] ?? null),
      cancel: nothing('work.cancel'),
      runAgain: nothing('work.runAgain'),
      retryFailed: nothing('work.retryFailed'),
      remove: nothing('work.remove'),
      restore: nothing('work.restore'),
      seen: nothing('work.seen'),
      saveResult: settle('work.saveResult', null),
    },
    outbox: {
      sendNext: nothing('outbox.sendNext'),
      edit: nothing('outbox.edit'),
      remove: nothing('outbox.remove'),
      restore: nothing('outbox.restore'),
      resolve: nothing('outbox.resolve'),
      pause: nothing('outbox.pause'),
      resume: nothing('outbox.resume'),
    },
    history: {
      page: noted('history.page', ({ query, offset, limit }: Parameters<Bridge['history']['page']>[0]) => {
        const text = query.text?.toLowerCase() ?? ''
        const matching = strings.records.filter((record) => {
          const folder = record.output?.kind === 'folder' ? record.output.path : ''
          const outcome = record.outcome?.kind
          return (
            `${record.name} ${folder}`.toLowerCase().includes(text) &&
            (query.outcomes === undefined || (outcome !== undefined && query.outcomes.includes(outcome)))
          )
        })
        return { records: matching.slice(offset, offset + limit), total: matching.length, offset }
      }),
      clear: nothing('history.clear'),
      save: settle('history.save', null),
    },
    files: {
      reveal: nothing('files.reveal'),
      open: nothing('files.open'),
      startDrag: nothing('files.startDrag'),
      exist: noted('files.exist', (paths: readonly string[]) => paths.map((path) => path in script.sizes)),
      sizes: noted('files.sizes', (paths: readonly string[]) =>
        paths.map((path) => script.sizes[path] ?? null),
      ),
    },
    connection: {
      discover: noted('connection.discover', () => script.found ?? looking.promise),
      test: settle('connection.test', { ok: true, version: '1.0.81', storage: 'keychain' } as const),
      useExternal: noted(
        'connection.useExternal',
        ({ keep }: Parameters<Bridge['connection']['useExternal']>[0]) =>
          script.keychainWorks || keep === 'session'
            ? ({ ok: true, version: '1.0.81', storage: keep } as const)
            : ({ ok: false, why: 'noKeychain' } as const),
      ),
      useBuiltIn: nothing('connection.useBuiltIn'),
      replaceKey: settle('connection.replaceKey', { ok: false, why: 'keyRefused' } as const),
      forgetKey: nothing('connection.forgetKey'),
      retry: nothing('connection.retry'),
      acceptVersion: nothing('connection.acceptVersion'),
      refreshPresets: nothing('connection.refreshPresets'),
    },
    settings: {
      update: noted('settings.update', (patch: Partial<AppState['settings']>) => {
        const settings = { ...state.settings, ...patch }
        strings.change({ settings })
        return settings
      }),
    },
    presets: {
      list: settle('presets.list', script.presets),
      save: settle('presets.save', {
        ok: false,
        problems: [{ field: 'image.quality', message: 'must be at most 100' }],
      } as const),
      keepUnsaved: nothing('presets.keepUnsaved'),
      remove: nothing('presets.remove'),
      reset: nothing('presets.reset'),
      restoreDefaults: nothing('presets.restoreDefaults'),
      undo: nothing('presets.undo'),
      import: settle('presets.import', script.imported),
      importFiles: settle('presets.importFiles', script.imported),
      export: settle('presets.export', { savedAs: '/home/ida/presets.json' }),
      showFolder: nothing('presets.showFolder'),
    },
    preview: {
      files: settle('preview.files', script.preview?.files ?? { current: null, recent: [] }),
      choose: settle('preview.choose', null),
      bring: settle('preview.bring', null),
      part: noted('preview.part', async (): Promise<PreviewPart> => {
        const { film, part } = script.preview ?? {}
        return film === undefined ? (part ?? { kind: 'overtaken' }) : drawnFilm(film)
      }),
      whole: noted('preview.whole', () => script.preview?.whole ?? ({ kind: 'overtaken' } as const)),
      compare: noted(
        'preview.compare',
        async ({ original, result }: ComparisonWish): Promise<PreviewComparison> => {
          const sizes = {
            bytes: script.sizes[result] ?? 0,
            originalBytes: script.sizes[original] ?? 4_100_000,
          }
          if (/\.(mp4|mov|mkv|webm)$/.test(result))
            return {
              ...(await drawnFilm({ start: 42, seconds: 2.5, filmSeconds: 178, isHdr: false })),
              ...sizes,
            }
          return {
            kind: 'whole',
            pixels: {
              extent: { width: 1_066, height: 600 },
              original: { width: 4_264, height: 2_400 },
              area: { left: 0, top: 0, width: 1_066, height: 600 },
              before: original,
              after: result,
            },
            ...sizes,
            refused: null,
            milliseconds: 0,
            notes: [],
          }
        },
      ),
      stop: nothing('preview.stop'),
    },
    forecast: { look: settle('forecast.look', undefined), lookWith: settle('forecast.lookWith', undefined) },
    drive: {
      status: settle('drive.status', null),
      setup: settle('drive.setup', script.drive),
      useRemote: nothing('drive.useRemote'),
      chooseRclone: () => Promise.resolve(null),
      checkFolder: settle('drive.checkFolder', { ok: true } as const),
    },
    watch: {
      list: settle('watch.list', script.watch),
      chooseFolder: settle('watch.chooseFolder', '/home/ida/Scans'),
      save: nothing('watch.save'),
      remove: nothing('watch.remove'),
      answer: nothing('watch.answer'),
    },
    diagnostics: {
      preview: settle('diagnostics.preview', 'Mediatray 1.0.0\nlinux x64\n'),
      save: settle('diagnostics.save', null),
    },
    on(name, listener) {
      const set = listeners.get(name) ?? new Set()
      listeners.set(name, set)
      set.add(listener)
      return () => set.delete(listener)
    },
    pathForFile: (file) =>
      file instanceof File && file.name.startsWith('pasted') ? '' : '/home/ida/dropped',
  }
  Date.now = () => strings.now
  Object.assign(window, { mediatray: bridge, strings })
}
