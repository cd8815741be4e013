/** Chooses a folder of the service's drive: by its ID or link or, with the built-in service, from a list. */
import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { DriveFolders, DriveProblem } from '../../shared/model/built-in-service.ts'
import { driveFolderId } from '../../shared/drive-folder.ts'
import { driveProblemSentence } from '../../shared/i18n/problem-sentences.ts'
import { useSettingsTranslation, useSettingsView } from '../store/app.ts'
import { FormDialog } from '../pickers/form-dialog.tsx'
import { useShownWhile } from '../ui/shown-while.ts'
import { DriveFolderList, type Folder, ListTrouble, LoadingFolders } from './drive-folder-list.tsx'
import { FolderPath } from './folder-path.tsx'
import './drive-folder-dialog.css'

export function DriveFolderDialog(props: {
  readonly onUse: (folderId: string) => Promise<unknown>
  readonly onClose: () => void
}) {
  const { onUse, onClose } = props
  const { app, t } = useSettingsView()
  const isBuiltIn = app.state.connection.value.kind === 'builtIn'
  const browsing = useBrowsing(isBuiltIn)
  const typed = useSignal('')
  const fromLink = useSignal(false)
  const wrong = useSignal<string | null>(null)
  const { listing, here, chosen } = browsing
  const isTyped = typed.value.trim() !== ''
  const target = chosen.value ?? here.value
  const canUse = isTyped || (listing.value?.ok === true && target !== null)

  const use = async (folderId: string): Promise<void> => {
    await onUse(folderId)
    onClose()
  }
  const useTyped = async (): Promise<void> => {
    const id = driveFolderId(typed.value)
    if (id === null) {
      wrong.value = t.newJob.notAFolderId
      return
    }
    const check = await app.attempt(app.bridge.drive.checkFolder(id))
    if (check === undefined) return
    // Reject only a folder that can't be used. The composer shows problems of the drive itself.
    if (check.ok || !isAboutFolder(check.problem)) await use(id)
    else wrong.value = driveProblemSentence(check.problem, t)
  }
  const submit = (): void => {
    if (isTyped) void useTyped()
    else if (canUse && target !== null) void use(target.id)
  }
  const type = (text: string): void => {
    const id = driveFolderId(text)
    fromLink.value = id !== null && id !== text.trim()
    typed.value = fromLink.value && id !== null ? id : text
    wrong.value = null
    if (typed.value !== '') chosen.value = null
  }

  return (
    <FormDialog
      title={t.driveDialog.title}
      class="drive-folder-form"
      submit={
        isTyped || target === null || !canUse
          ? t.driveDialog.use
          : t.driveDialog.useNamed({ name: target.name })
      }
      disabled={!canUse}
      onSubmit={submit}
      onClose={onClose}
    >
      {isBuiltIn && (
        <Browser
          browsing={browsing}
          onUse={() => {
            if (!isTyped) submit()
          }}
        />
      )}
      <div class="folder-by-id">
        <label for="drive-input">{isBuiltIn ? t.driveDialog.orById : t.driveDialog.label}</label>
        <input
          id="drive-input"
          class="field mono"
          autocomplete="off"
          spellcheck={false}
          autofocus={!isBuiltIn}
          placeholder="https://drive.google.com/…"
          value={typed.value}
          aria-invalid={wrong.value !== null}
          aria-describedby="drive-input-hint"
          onInput={(event) => type(event.currentTarget.value)}
        />
        <p id="drive-input-hint" class={`hint ${wrong.value === null ? '' : 'error'}`}>
          {wrong.value ?? (fromLink.value ? t.newJob.fromLink : '')}
        </p>
      </div>
    </FormDialog>
  )
}

/** Whether a drive that responded rejected the folder. Otherwise the folder couldn't be checked. */
function isAboutFolder(problem: DriveProblem): boolean {
  switch (problem.code) {
    case 'noRclone':
    case 'noRemote':
    case 'unknownRemote':
    case 'notListed':
      return false
    case 'trouble':
      return !['network', 'signIn', 'locked', 'busy', 'ended'].includes(problem.trouble.kind)
    default:
      return true
  }
}

type Browsing = ReturnType<typeof useBrowsing>

/** Loads one folder at a time. Responses about folders that the user has left are ignored. */
function useBrowsing(isBuiltIn: boolean) {
  const { app, t } = useSettingsView()
  const listing = useSignal<DriveFolders | null>(null)
  /** The folders from the topmost one to the open one; empty until the topmost one has been loaded. */
  const path = useSignal<readonly Folder[]>([])
  const chosen = useSignal<Folder | null>(null)
  const asked = useRef(0)

  const open = async (next: readonly Folder[]): Promise<void> => {
    asked.current += 1
    const mine = asked.current
    listing.value = null
    path.value = next
    chosen.value = null
    const answer = await app.attempt(app.bridge.drive.folders({ parent: next.at(-1)?.id ?? null }))
    if (mine !== asked.current || answer === undefined) return
    if (answer.ok && next.length === 0) {
      const { type, name } = answer.remote
      path.value = [{ id: answer.id, name: type === 'drive' ? t.driveDialog.myDrive : name }]
    }
    listing.value = answer
  }

  useEffect(() => {
    if (!isBuiltIn) return undefined
    void open([])
    return () => {
      asked.current += 1
      void app.attempt(app.bridge.drive.stopListing())
    }
  }, [isBuiltIn])

  return {
    listing,
    path,
    chosen,
    here: { value: path.value.at(-1) ?? null },
    enter: (folder: Folder) => void open([...path.value, folder]),
    up: () => {
      if (path.value.length > 1) void open(path.value.slice(0, -1))
    },
    goTo: (index: number) => void open(path.value.slice(0, index + 1)),
    retry: () => void open(path.value),
  }
}

function Browser({ browsing, onUse }: { readonly browsing: Browsing; readonly onUse: () => void }) {
  const t = useSettingsTranslation()
  const { listing, path, chosen, here } = browsing
  const box = useRef<HTMLDivElement>(null)
  const isLoadingShown = useShownWhile(listing.value === null)
  const answer = isLoadingShown ? null : listing.value

  // Move the focus into each opened folder, unless the user is typing an ID meanwhile.
  useLayoutEffect(() => {
    const { activeElement } = document
    const isElsewhere = activeElement instanceof HTMLInputElement
    if (!isElsewhere) (box.current?.querySelector<HTMLElement>('[data-focus]') ?? box.current)?.focus()
  }, [answer])

  return (
    <>
      <FolderPath path={path.value} onGo={browsing.goTo} />
      <div ref={box} class="folder-box" role="group" aria-label={t.driveDialog.title} tabIndex={-1}>
        {answer === null ? (
          <LoadingFolders isShown={isLoadingShown} />
        ) : answer.ok ? (
          <DriveFolderList
            folders={answer.folders}
            label={here.value?.name ?? ''}
            chosen={chosen.value}
            onChoose={(folder) => (chosen.value = folder)}
            onEnter={browsing.enter}
            onUp={browsing.up}
            onUse={onUse}
          />
        ) : (
          <ListTrouble problem={answer.problem satisfies DriveProblem} onRetry={browsing.retry} />
        )}
      </div>
      <p class="visually-hidden" role="status">
        {answer?.ok === true &&
          t.driveDialog.announced({
            name: here.value?.name ?? '',
            folders: t.driveDialog.folders({ count: answer.folders.length }),
          })}
      </p>
    </>
  )
}
