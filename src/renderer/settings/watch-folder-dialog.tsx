import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { OutputTarget } from '../../shared/model/draft.ts'
import { shortPath } from '../../shared/i18n/index.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Button } from '../ui/button.tsx'
import { Segments } from '../ui/segments.tsx'
import { Select } from '../ui/select.tsx'
import { chooseOutput, outputGroups, outputValue } from '../job-pane/output-choice.ts'
import { BASIC, presetGroups } from '../job-pane/preset-choice.ts'
import { useApp, useWords } from '../store/app.ts'

type WatchFolderDialogProps = { readonly id: string | null; readonly onClose: () => void }

/** Which folder is watched, and what its files become. */
export function WatchFolderDialog({ id, onClose }: WatchFolderDialogProps) {
  const app = useApp()
  const { w } = useWords()
  const says = w.watchSettings
  const { draft, settings } = app.state
  const folder = useSignal({
    path: '',
    enabled: true,
    recursive: false,
    preset: settings.peek().defaultPreset,
    output: settings.peek().defaultOutput ?? draft.peek().output,
    variations: settings.peek().variations,
    grouping: settings.peek().grouping,
    windowMs: 10_000,
  })
  const missing = useSignal(false)

  useEffect(() => {
    if (id === null) return
    void app.attempt(app.bridge.watch.list()).then((known) => {
      const found = known?.find((candidate) => candidate.id === id)
      if (!found) return
      const { id: _id, trouble: _trouble, question: _question, taken: _taken, ...stored } = found
      folder.value = stored
    })
  }, [id])

  const change = (next: Partial<typeof folder.value>): void => {
    folder.value = { ...folder.value, ...next }
  }
  const choose = async (): Promise<void> => {
    const path = await app.attempt(app.bridge.watch.chooseFolder())
    if (path) change({ path })
    missing.value = false
  }
  const save = async (): Promise<void> => {
    if (folder.value.path === '') {
      missing.value = true
      return
    }
    let worked = false
    await app.attempt(
      app.bridge.watch.save({ id, folder: folder.value }).then(() => {
        worked = true
      }),
    )
    if (!worked) return
    app.watchVersion.value += 1
    onClose()
  }
  const takeOutput = (output: OutputTarget): Promise<void> => Promise.resolve(change({ output }))
  const { path, preset, output, grouping, recursive, windowMs } = folder.value
  return (
    <Dialog title={id === null ? says.titleNew : says.titleChange} wide onClose={onClose}>
      <div class="body labelled">
        <label for="watch-path">{says.folder}</label>
        <div class="line">
          <input
            id="watch-path"
            class="field pick"
            readOnly
            value={shortPath(path, app.facts.homeFolder)}
            aria-invalid={missing.value}
            aria-describedby={missing.value ? 'watch-missing' : undefined}
          />
          <Button label={w.newJob.choose} onPress={() => void choose()} autofocus />
        </div>
        {missing.value && (
          <p id="watch-missing" class="hint bad">
            {says.chooseFirst}
          </p>
        )}
        <span />
        <label class="check">
          <input
            type="checkbox"
            checked={recursive}
            onChange={(event) => change({ recursive: event.currentTarget.checked })}
          />
          {says.subfolders}
        </label>
        <label for="watch-preset">{w.newJob.preset}</label>
        <Select
          id="watch-preset"
          value={preset ?? BASIC}
          groups={presetGroups(app.state.connection.value.presets, { photos: 0, videos: 0 }, preset, w)}
          onChoose={(value) => change({ preset: value === BASIC ? null : value })}
        />
        <label for="watch-output">{w.newJob.saveTo}</label>
        <Select
          id="watch-output"
          value={outputValue(output)}
          groups={outputGroups(app, output)}
          onChoose={(value) => void chooseOutput(app, value, takeOutput)}
        />
        {output.kind === 'drive' && (
          <>
            <label for="watch-drive">{w.newJob.folderId}</label>
            <input
              id="watch-drive"
              class="field mono pick"
              value={output.folderId}
              onInput={(event) =>
                change({ output: { kind: 'drive', folderId: event.currentTarget.value.trim() } })
              }
            />
          </>
        )}
        <span class="label">{w.jobsSettings.several}</span>
        <span>
          <Segments
            label={w.jobsSettings.several}
            value={grouping}
            options={[
              { value: 'together', label: w.newJob.together },
              { value: 'separate', label: w.newJob.separate },
            ]}
            onChoose={(value) => change({ grouping: value })}
          />
        </span>
        {grouping === 'together' && (
          <>
            <label for="watch-window">{says.together}</label>
            <span class="line">
              <input
                id="watch-window"
                class="field days num"
                inputMode="numeric"
                value={windowMs / 1_000}
                onInput={(event) => {
                  const seconds = Number(event.currentTarget.value)
                  if (Number.isInteger(seconds) && seconds >= 0 && seconds <= 3_600) {
                    change({ windowMs: seconds * 1_000 })
                  }
                }}
              />
              <span class="hint">{says.seconds}</span>
            </span>
          </>
        )}
      </div>
      <div class="end">
        <Button label={w.actions.cancel} large onPress={onClose} />
        <Button
          label={id === null ? says.save : says.saveChange}
          kind="main"
          large
          onPress={() => void save()}
        />
      </div>
    </Dialog>
  )
}
