/** Shows one folder in the folder picker: its subfolders, the loading state, or the reason why the subfolders can't be loaded. */
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import type { DriveProblem } from '../../shared/model/built-in-service.ts'
import { driveProblemSentence } from '../../shared/i18n/problem-sentences.ts'
import { useSettingsTranslation, useSettingsView } from '../store/app.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { createTypeahead } from '../ui/typeahead.ts'

export type Folder = { readonly id: string; readonly name: string }

export function DriveFolderList(props: {
  readonly folders: readonly Folder[]
  readonly label: string
  readonly chosen: Folder | null
  readonly onChoose: (folder: Folder) => void
  readonly onEnter: (folder: Folder) => void
  readonly onUp: () => void
  readonly onUse: () => void
}) {
  const { folders, label, chosen, onChoose, onEnter, onUp, onUse } = props
  const t = useSettingsTranslation()
  const list = useRef<HTMLUListElement>(null)
  const typeahead = useMemo(createTypeahead, [])
  const at = chosen === null ? -1 : folders.indexOf(chosen)

  useLayoutEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [at])

  const choose = (index: number): void => {
    const folder = folders[Math.min(Math.max(index, 0), folders.length - 1)]
    if (folder !== undefined) onChoose(folder)
  }
  const jump = (event: KeyboardEvent): void => {
    const found = typeahead.find(event, folders, at, ({ name }) => name)
    if (found !== undefined) onChoose(found)
  }

  const onKeyDown = (event: KeyboardEvent): void => {
    const isRtl = getComputedStyle(event.currentTarget as HTMLElement).direction === 'rtl'
    const [into, out] = isRtl ? ['ArrowLeft', 'ArrowRight'] : ['ArrowRight', 'ArrowLeft']
    const { key } = event
    if (key === 'Enter' && (event.ctrlKey || event.metaKey)) onUse()
    else if (event.ctrlKey || event.metaKey || event.altKey) return
    else if (key === 'ArrowDown') choose(at + 1)
    else if (key === 'ArrowUp') choose(at < 0 ? folders.length - 1 : at - 1)
    else if (key === 'Home') choose(0)
    else if (key === 'End') choose(folders.length - 1)
    else if (key === into || key === 'Enter') {
      if (chosen !== null) onEnter(chosen)
    } else if (key === out || key === 'Backspace') onUp()
    else if (key.length === 1 && key !== ' ') jump(event)
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <ul
      ref={list}
      class="drive-folders"
      role="listbox"
      aria-label={label}
      aria-activedescendant={at < 0 ? undefined : `drive-folder-${at}`}
      tabIndex={0}
      data-focus
      onKeyDown={onKeyDown}
    >
      {folders.map((folder, index) => (
        <li
          key={folder.id}
          id={`drive-folder-${index}`}
          role="option"
          aria-selected={index === at}
          onClick={() => onChoose(folder)}
          onDblClick={() => onEnter(folder)}
        >
          <Icon name="folder" />
          <span class="truncate">
            <bdi>{folder.name}</bdi>
          </span>
          <span class="enter-folder" title={t.driveDialog.enter} onClick={() => onEnter(folder)}>
            <Icon name="forward" class="small" />
          </span>
        </li>
      ))}
      {folders.length === 0 && (
        <li class="folder-note" role="option" aria-selected={false} aria-disabled>
          {t.driveDialog.empty}
        </li>
      )}
    </ul>
  )
}

export function LoadingFolders({ isShown }: { readonly isShown: boolean }) {
  const t = useSettingsTranslation()
  return (
    <div class="folder-note" role="status">
      {isShown && (
        <>
          <progress aria-label={t.driveDialog.loading} />
          <p class="hint">{t.driveDialog.loading}</p>
        </>
      )}
    </div>
  )
}

export function ListTrouble(props: { readonly problem: DriveProblem; readonly onRetry: () => void }) {
  const { problem, onRetry } = props
  const { app, t } = useSettingsView()
  const needsSignIn = problem.code === 'trouble' && problem.trouble.kind === 'signIn'
  const retry = useRef<HTMLDivElement>(null)
  useEffect(() => retry.current?.querySelector('button')?.focus(), [])
  return (
    <div class="folder-note" role="alert" ref={retry}>
      <Icon name="warn" />
      <p>
        <b>{t.driveDialog.notLoaded}</b>
      </p>
      <p class="hint">{t.sentences([driveProblemSentence(problem, t), t.driveDialog.stillById])}</p>
      <Button label={t.actions.tryAgain} onPress={onRetry} />
      {needsSignIn && (
        <LinkButton
          label={t.driveDialog.reconnect}
          onPress={() => void app.attempt(app.bridge.app.openLink('rclone'))}
        />
      )}
    </div>
  )
}
