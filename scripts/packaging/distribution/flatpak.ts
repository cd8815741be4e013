/** Manifest and metadata for Flatpak: https://docs.flathub.org/docs/for-app-authors/requirements. See docs/decisions/flatpak.md. */
import { APP_ID, type Release } from './release.ts'

const RUNTIME = '25.08'

export const flatpakFiles = (release: Release, license: string): Readonly<Record<string, string>> => ({
  [`${APP_ID}.json`]: `${JSON.stringify(manifest(release), undefined, 2)}\n`,
  [`${APP_ID}.metainfo.xml`]: metainfo(release, license),
})

function manifest({ packages: { deb } }: Release) {
  return {
    id: APP_ID,
    runtime: 'org.freedesktop.Platform',
    'runtime-version': RUNTIME,
    sdk: 'org.freedesktop.Sdk',
    base: 'org.electronjs.Electron2.BaseApp',
    'base-version': RUNTIME,
    command: 'mediatray',
    'separate-locales': false,
    'rename-icon': 'mediatray',
    'finish-args': [
      '--share=ipc',
      // For services, drives, and URLs that are called after jobs.
      '--share=network',
      '--socket=wayland',
      '--socket=fallback-x11',
      '--device=dri',
      // Anyone who keeps photos elsewhere adds the folder with `flatpak override`.
      '--filesystem=xdg-pictures',
      '--filesystem=xdg-videos',
      '--filesystem=xdg-download',
      '--talk-name=org.freedesktop.Notifications',
      '--talk-name=org.freedesktop.secrets',
      '--talk-name=org.kde.StatusNotifierWatcher',
      '--env=ELECTRON_TRASH=gio',
    ],
    modules: [
      {
        name: 'mediatray',
        buildsystem: 'simple',
        'build-commands': [
          'ar x mediatray.deb',
          'tar -xf data.tar.*',
          'mv opt/Mediatray /app/mediatray',
          // Without a feed, the app never updates itself: Flatpak does.
          'rm /app/mediatray/resources/app-update.yml',
          "sed -i 's|^Exec=\\S*/mediatray|Exec=mediatray|' usr/share/applications/*.desktop",
          'mkdir -p /app/share',
          'cp -r usr/share/applications usr/share/icons /app/share',
          'install -Dm755 mediatray mediatray-cli -t /app/bin',
          `install -Dm644 ${APP_ID}.metainfo.xml -t /app/share/metainfo`,
        ],
        sources: [
          ...(['x64', 'arm64'] as const).map((processor) => ({
            type: 'file',
            'only-arches': [processor === 'x64' ? 'x86_64' : 'aarch64'],
            url: deb[processor].url,
            sha256: deb[processor].sha256,
            'dest-filename': 'mediatray.deb',
          })),
          {
            type: 'script',
            'dest-filename': 'mediatray',
            commands: [
              // Chromium keeps its single-instance lock there.
              'export TMPDIR="$XDG_RUNTIME_DIR/app/$FLATPAK_ID"',
              'exec zypak-wrapper /app/mediatray/mediatray "$@"',
            ],
          },
          {
            type: 'script',
            'dest-filename': 'mediatray-cli',
            commands: ['exec /app/mediatray/resources/bin/mediatray-cli "$@"'],
          },
          { type: 'file', path: `${APP_ID}.metainfo.xml` },
        ],
      },
    ],
  }
}

function metainfo(release: Release, license: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<component type="desktop-application">
  <id>${APP_ID}</id>
  <metadata_license>CC0-1.0</metadata_license>
  <project_license>${license}</project_license>
  <name>Mediatray</name>
  <summary>${escaped(release.synopsis)}</summary>
  <developer id="app.mediatray">
    <name>${escaped(release.publisher)}</name>
  </developer>
  <description>
    <p>${escaped(release.description)}</p>
  </description>
  <launchable type="desktop-id">${APP_ID}.desktop</launchable>
  <url type="homepage">${escaped(release.homePage)}</url>
  <url type="vcs-browser">${escaped(release.repository)}</url>
  <screenshots>
    <screenshot type="default">
      <caption>A job that is running</caption>
      <image>${escaped(`${release.repository}/raw/v${release.version}/docs/images/running.png`)}</image>
    </screenshot>
  </screenshots>
  <categories>
    <category>Graphics</category>
    <category>Photography</category>
  </categories>
  <provides>
    <binary>mediatray-cli</binary>
  </provides>
  <releases>
    <release version="${release.version}" date="${release.date}"${release.channel === 'latest' ? '' : ' type="development"'}/>
  </releases>
  <content_rating type="oars-1.1"/>
</component>
`
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

const escaped = (text: string): string => text.replaceAll(/[&<>]/g, (found) => ENTITIES[found] ?? found)
