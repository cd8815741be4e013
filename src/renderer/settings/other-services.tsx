import { serviceIdOf, type ConnectionView } from '../../shared/model/connection.ts'
import { serviceNameOf } from '../../shared/i18n/names.ts'
import { connectionLine } from '../../shared/i18n/sentences.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { settingsTranslation, type App, useSettingsView } from '../store/app.ts'
import { Setting } from './setting.tsx'

export function OtherServices() {
  const { app, t } = useSettingsView()
  const texts = t.connectionSettings
  const services = app.state.services.value
  const { kind } = app.state.connection.value
  if (kind === null) return null
  const add = (): void => {
    app.overlays.dialog.value = { kind: 'service', service: null }
  }
  const lacksBuiltIn = [kind, ...services.map((one) => one.kind)].every((one) => one !== 'builtIn')
  const menu = (anchor: HTMLElement): void => {
    const addBuiltIn = () => void app.attempt(app.bridge.services.addBuiltIn())
    app.overlays.menu.value = {
      label: texts.addOther,
      anchor,
      entries: [
        { label: t.connection.builtIn, run: addBuiltIn },
        { label: texts.onThisComputer, run: add },
      ],
    }
  }
  return (
    <>
      {services.map((service) => (
        <ServiceRow key={serviceIdOf(service)} connection={service} />
      ))}
      <Setting label={texts.others} hint={services.length === 0 ? undefined : texts.othersHint}>
        <Button
          id="other-services"
          label={texts.addOther}
          kind="quiet"
          {...(lacksBuiltIn ? { onMenu: menu } : { onPress: add })}
        />
      </Setting>
    </>
  )
}

function ServiceRow({ connection }: { readonly connection: ConnectionView }) {
  const { app, t } = useSettingsView()
  const texts = t.connectionSettings
  const service = serviceIdOf(connection)
  const name = serviceNameOf(service, app.state.settings.value, t)
  const isIdle = connection.state.status === 'unconfigured'
  return (
    <Setting label={name} hint={isIdle ? texts.startsWhenNeeded : connectionLine(connection, t)}>
      <IconButton
        icon="more"
        label={texts.moreFor({ name })}
        onMenu={(button) => openServiceMenu(app, service, button)}
      />
    </Setting>
  )
}

function openServiceMenu(app: App, service: string, anchor: HTMLElement): void {
  const t = settingsTranslation(app)
  const texts = t.connectionSettings
  const { settings, connection } = app.state
  const nameOf = (id: string) => serviceNameOf(id, settings.value, t)
  const name = nameOf(service)
  const { services } = app.bridge
  const remove = (): void => {
    app.overlays.dialog.value = {
      kind: 'confirm',
      title: texts.removeTitle({ name }),
      text: texts.removeText({ main: nameOf(serviceIdOf(connection.value)) }),
      verb: texts.removeVerb,
      run: () => void app.attempt(services.remove(service)),
    }
  }
  app.overlays.menu.value = {
    label: texts.moreFor({ name }),
    anchor,
    entries: [
      { label: texts.makeMain, run: () => void app.attempt(services.makeMain(service)) },
      { label: texts.change, run: () => (app.overlays.dialog.value = { kind: 'service', service }) },
      { label: texts.check, run: () => void app.attempt(services.check(service)) },
      { kind: 'divider' },
      { label: texts.remove, run: remove },
    ],
  }
}
