import { connectionLine, quietWords } from '../../shared/i18n/sentences.ts'
import type { ConnectionState } from '../../shared/model/connection.ts'
import { useApp, withModifier, type App, useWindow } from '../store/app.ts'
import { chipsOf, isNarrowed } from '../store/search.ts'
import { Button, IconButton, LinkButton } from '../ui/button.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { FirstTiles } from '../pickers/first-tiles.tsx'
import { chooseFiles } from '../store/drops.ts'
import { showSetting, showSettings } from '../store/navigation.ts'
import { JobList } from './job-list.tsx'
import { FilterChips, SearchBar } from './search-bar.tsx'
import '../ui/tray-shape.css'
import './jobs-column.css'

/** The left column: search, unfinished jobs, the history and the connection. */
export function JobsColumn() {
  return (
    <>
      <SearchBar />
      {useApp().searchText.value === '' && <DropHere />}
      <FilterChips />
      <ListOrPlaceholder />
      <ConnectionLine />
    </>
  )
}

function DropHere() {
  const { app, t } = useWindow()
  return (
    <div class="drop-here">
      <div class="tray-shape">
        <Icon name="falling" class="drop-icon" />
        <p>{t.list.dropHere}</p>
        <Button autofocus label={t.list.chooseFiles} onPress={() => void chooseFiles(app)} />
      </div>
    </div>
  )
}

function ListOrPlaceholder() {
  const { app, t } = useWindow()
  const { total, query } = app.history.view.value
  if (total === 0 && isNarrowed(query)) return <NoMatch />
  const nothingYet = total === 0 && app.state.jobs.value.length === 0 && app.state.outbox.value.length === 0
  if (nothingYet) {
    return (
      <div class="scroll-area">
        <p class="hint list-note">{t.list.emptyHistory}</p>
        {app.route.listOnly.value && <FirstTiles />}
      </div>
    )
  }
  return <JobList />
}

function NoMatch() {
  const { app, t } = useWindow()
  const { text } = app.history.view.value.query
  const filters = chipsOf(app.filters.value, t).length
  return (
    <div class="scroll-area">
      <div class="no-match" role="status">
        <p>
          <b>{text === undefined ? t.list.noneLeft : t.list.noMatch({ text })}</b>
        </p>
        <p class="hint">
          {t.list.searchLooksAt} {filters > 0 && t.list.filtersOn({ count: filters })}
        </p>
        <div class="control-row wrap">
          {text !== undefined && (
            <Button label={t.list.clearSearch} onPress={() => (app.searchText.value = '')} />
          )}
          {filters > 0 && (
            <Button
              label={t.list.removeFilters({ count: filters })}
              kind="quiet"
              onPress={() => (app.filters.value = {})}
            />
          )}
        </div>
      </div>
    </div>
  )
}

const STATUS_ICONS: Readonly<Record<ConnectionState['status'], readonly [IconName, string]>> = {
  online: ['dot', 'success'],
  connecting: ['queue', ''],
  unconfigured: ['off', ''],
  keyRefused: ['key', 'error'],
  offline: ['off', 'warning'],
  wrongVersion: ['warn', 'warning'],
}

/** Whether the built-in service is online but hasn't finished any job yet. The user may then prefer another service. */
function isBuiltInUntried({ state, history }: App): boolean {
  const { kind, state: connection } = state.connection.value
  const { total, query, pages } = history.view.value
  if (kind !== 'builtIn' || connection.status !== 'online' || total === null || isNarrowed(query))
    return false
  return (pages.get(0) ?? []).every(({ outcome }) => outcome === null)
}

/** The connection to the service, or the pause with a button to resume, and the button for the settings. */
function ConnectionLine() {
  const { app, t } = useWindow()
  const connection = app.state.connection.value
  const { wait } = app.state.quiet.value
  const paused = wait?.reason === 'paused' ? wait : null
  const [icon, tone] = STATUS_ICONS[connection.state.status]
  const isNew = paused === null && isBuiltInUntried(app)
  const line = isNew ? t.list.usingBuiltIn : connectionLine(connection, t)
  return (
    <footer class="sidebar-footer">
      <span class="connection" role="status">
        <Icon name={paused ? 'pause' : icon} class={`status-icon ${paused ? '' : tone}`} />
        <span class="truncate">{paused ? quietWords(paused, t) : line}</span>
      </span>
      {isNew && (
        <LinkButton
          label={t.list.change}
          name={t.list.changeService}
          onPress={() => showSetting(app, 'service', '[name="connection"]:checked')}
        />
      )}
      {paused !== null && (
        <LinkButton label={t.pause.resume} onPress={() => void app.attempt(app.bridge.outbox.resume())} />
      )}
      <IconButton
        icon="gear"
        label={t.list.settings({ keys: withModifier(app.facts, ',') })}
        onPress={() => showSettings(app)}
      />
    </footer>
  )
}
