import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { StudioTranslation } from '../../shared/i18n/i18n.ts'
import type { PresetDocument } from '../../shared/model/built-in-service.ts'
import { countChanges } from '../../shared/preset/changed-fields.ts'
import { textFaultWords } from '../../shared/preset/fault-words.ts'
import { presetsIn } from '../../shared/model/watch-folder.ts'
import { summaryOf } from '../../shared/preset/preset-summary.ts'
import { readFrom } from '../../shared/preset/read-field.ts'
import { hasModifier, useApp, type App } from '../store/app.ts'
import { focusOnceShown } from '../store/focus.ts'
import { showStudio } from '../store/navigation.ts'
import { IconButton } from '../ui/button.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { Fault } from '../ui/fault.tsx'
import { duplicate, remove, rename, rowEntries, rowOf, toggleStar } from './preset-actions.ts'
import { usePresetTranslation } from './translations.ts'

export function PresetRow(props: {
  readonly preset: PresetDocument
  /** Whether the row is in the Tab order. Arrow keys reach the other rows. */
  readonly isStop: boolean
  readonly onFocus: () => void
  readonly onRename: (name: string) => void
}) {
  const { preset, isStop, onFocus, onRename } = props
  const app = useApp()
  const t = usePresetTranslation()
  const { name } = preset
  const openMenu = (anchor: HTMLElement): void => {
    app.overlays.menu.value = { label: name, anchor, entries: rowEntries(app, preset, t, { onRename }) }
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'F2') onRename(name)
    else if (event.key === 'Delete') remove(app, preset, t)
    else if (isPlainS(event)) void toggleStar(app, preset, t)
    else if (event.key.toLowerCase() === 'd' && hasModifier(app.facts, event))
      void duplicate(app, preset, t).then((copy) => copy !== null && onRename(copy))
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <li class="preset-row">
      <button
        type="button"
        class="preset-row-open"
        data-preset={name}
        tabIndex={isStop ? 0 : -1}
        onFocus={onFocus}
        onKeyDown={onKeyDown}
        onContextMenu={(event) => {
          event.preventDefault()
          openMenu(event.currentTarget)
        }}
        onClick={() => showStudio(app, name)}
      >
        <Icon name={kindIcon(preset)} />
        <span class="truncate">
          <b class="truncate">{name}</b>
          <RowHint preset={preset} />
        </span>
        <span class="preset-row-usage">{usesOf(app, name, t)}</span>
      </button>
      <IconButton
        icon="star"
        class="quiet star"
        label={t.presetList.star({ name })}
        pressed={app.state.settings.value.starredPresets.includes(name)}
        onPress={() => void toggleStar(app, preset, t)}
        skipTab={!isStop}
      />
      <IconButton icon="more" label={t.presetList.moreFor({ name })} onMenu={openMenu} skipTab={!isStop} />
    </li>
  )
}

const isPlainS = ({ key, altKey, ctrlKey, metaKey }: KeyboardEvent): boolean =>
  key.toLowerCase() === 's' && !altKey && !ctrlKey && !metaKey

function kindIcon({ preset }: PresetDocument): IconName {
  if (preset === null) return 'warn'
  if (preset.video === undefined) return 'photo'
  return preset.image === undefined ? 'video' : 'both'
}

function RowHint({ preset }: { readonly preset: PresetDocument }) {
  const t = usePresetTranslation()
  const texts = t.presetList
  const changes = preset.unsaved === null ? 0 : countChanges(preset.text, preset.unsaved)
  if (preset.preset === null) {
    const reason = preset.fault === null ? '' : textFaultWords(preset.fault, t)
    return <span class="hint truncate">{t.summary.damaged({ reason })}</span>
  }
  const { does, removed } = summaryOf(readFrom(preset.preset), t)
  const { image, video } = preset.preset
  const kind = image === undefined ? texts.videos : video === undefined ? texts.photos : texts.both
  return (
    <span class="hint truncate">
      <span class="visually-hidden">{t.labeled(kind, '')}</span>
      {changes > 0 ? (
        <span class="preset-row-unsaved">{texts.unsaved({ count: changes })} </span>
      ) : (
        preset.origin === 'changedDefault' && `${texts.changed} `
      )}
      {removed === '' ? does : `${t.sentence(does)}${t.summary.betweenSentences}${removed}`}
    </span>
  )
}

/** Lists what uses the preset: new jobs, waiting jobs and watched folders; empty if nothing uses it. */
export function usesOf({ state }: App, name: string, t: StudioTranslation): string {
  const texts = t.presetList
  const { watchFolders, folderRules } = state.settings.value
  const jobs = state.outbox.value.filter(({ preset }) => preset === name).length
  const folders = watchFolders.filter((folder) =>
    presetsIn(folder, folderRules[folder.id] ?? undefined).includes(name),
  ).length
  return t.listed([
    ...(state.settings.value.defaultPresets?.includes(name) === true ? [texts.newJobs] : []),
    ...(jobs === 0 ? [] : [texts.waitingJobs({ count: jobs })]),
    ...(folders === 0 ? [] : [texts.watchFolders({ count: folders })]),
  ])
}

/** A row whose name is being edited. Enter or leaving the field saves the name; Escape cancels. */
export function RenameRow(props: { readonly preset: PresetDocument; readonly onEnd: () => void }) {
  const { preset, onEnd } = props
  const app = useApp()
  const t = usePresetTranslation()
  const field = useRef<HTMLInputElement>(null)
  const fault = useSignal<string | null>(null)
  useLayoutEffect(() => {
    field.current?.select()
  }, [])

  /** @param isLeft whether the user has moved the focus to another element of the window */
  const end = (name: string, isLeft: boolean): void => {
    onEnd()
    if (!isLeft) focusOnceShown(rowOf(name))
  }
  const take = async (isLeft: boolean): Promise<void> => {
    const wanted = field.current?.value.trim() ?? ''
    if (wanted === preset.name) return end(wanted, isLeft)
    const isTaken = app.presets.overview.peek()?.documents.some(({ name }) => name === wanted) ?? false
    if (isTaken || wanted === '') {
      fault.value = isTaken ? t.fault.nameTaken({ name: wanted }) : t.fault.nameWrong
      return undefined
    }
    if (await rename(app, preset, wanted)) end(wanted, isLeft)
    else fault.value = t.fault.nameWrong
    return undefined
  }
  return (
    <li class="preset-row">
      <div class="preset-row-rename">
        <Icon name={kindIcon(preset)} />
        <input
          ref={field}
          class="field"
          defaultValue={preset.name}
          maxLength={80}
          aria-label={t.presetList.newName}
          aria-invalid={fault.value !== null}
          aria-describedby={fault.value === null ? undefined : 'rename-fault'}
          onBlur={() => {
            if (fault.value === null) void take(document.activeElement !== field.current)
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter') void take(false)
            else if (event.key === 'Escape') end(preset.name, false)
            else return
            event.preventDefault()
            event.stopPropagation()
          }}
        />
        <Fault id="rename-fault" text={fault.value} hasIcon />
      </div>
    </li>
  )
}
