/**
 * The entries for Finder: one Quick Action for each starred preset, an Automator workflow in `~/Library/Services`. It has one step, a
 * shell script with the files as arguments.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { StarredPreset } from '../../../shared/preset/starred.ts'
import { shellQuoted, xmlText } from '../quoting.ts'
import {
  distinct,
  fileNameOf,
  longLabelOf,
  MARK,
  presetArguments,
  type EntryFile,
  type EntryPlace,
} from './entry.ts'

const BUNDLE_ID = 'app.mediatray.Mediatray'
const ENDING = ' (Mediatray).workflow'
/** `Info.plist` comes last: macOS ignores a workflow without it, and therefore never sees an incomplete one. */
const PARTS = ['Contents/document.wflow', 'Contents/Info.plist'] as const

/** @param services `~/Library/Services` */
export const finderPlaces = (services: string): readonly EntryPlace[] => [
  {
    root: services,
    folder: '',
    filesOf: (name) => (name.endsWith(ENDING) ? PARTS.map((part) => join(name, part)) : []),
  },
]

/** @param program absolute path of the app's executable */
export function finderEntries(
  presets: readonly StarredPreset[],
  { services, program }: { readonly services: string; readonly program: string },
): readonly EntryFile[] {
  const names = distinct(presets.map(fileNameOf))
  return presets.flatMap((preset, index) => {
    const bundle = join(services, `${names[index] ?? ''}${ENDING}`)
    const [workflow, info] = [documentOf(scriptOf(preset, bundle, program), preset), infoOf(preset)]
    return [
      { path: join(bundle, PARTS[0]), text: plistText(workflow), isExecutable: false },
      { path: join(bundle, PARTS[1]), text: plistText(info), isExecutable: false },
    ]
  })
}

/**
 * Returns the script of a Quick Action. `open` can't pass arguments to a running app, so the script starts another instance in the
 * background, which passes its arguments to the running one. If the app is gone, the workflow removes itself.
 */
function scriptOf(preset: StarredPreset, bundle: string, program: string): string {
  const [option, value] = presetArguments(preset)
  const parts = PARTS.map((part) => shellQuoted(join(bundle, part))).join(' ')
  return [
    `/usr/bin/open -n -g -b ${BUNDLE_ID} --args ${option} ${shellQuoted(value)} -- "$@" && exit`,
    `[ -e ${shellQuoted(program)} ] && exit 1`,
    `rm -f ${parts}`,
    `rmdir ${shellQuoted(join(bundle, 'Contents'))} ${shellQuoted(bundle)}`,
  ].join('\n')
}

function infoOf(preset: StarredPreset): Plist {
  const types = [
    ...(preset.forPhotos ? ['public.image'] : []),
    ...(preset.forVideos ? ['public.movie'] : []),
    'public.folder',
  ]
  const hash = createHash('sha256').update(preset.name).digest('hex').slice(0, 12)
  return {
    CFBundleIdentifier: `${BUNDLE_ID}.preset.${hash}`,
    CFBundleName: longLabelOf(preset),
    NSServices: [
      {
        NSMenuItem: { default: longLabelOf(preset) },
        NSMessage: 'runWorkflowAsService',
        NSRequiredContext: { NSApplicationIdentifier: 'com.apple.finder' },
        NSSendFileTypes: types,
      },
    ],
  }
}

/** Returns the document that Automator saves for a Quick Action with one *Run Shell Script* step, input as arguments. */
function documentOf(script: string, { name }: StarredPreset): Plist {
  const strings = { Container: 'List', Types: ['com.apple.cocoa.string'] }
  const uuid = (part: string) => uuidFrom(`${part} ${name}`)
  return {
    AMApplicationBuild: '523',
    AMApplicationVersion: '2.10',
    AMDocumentVersion: '2',
    actions: [
      {
        action: {
          AMAccepts: { ...strings, Optional: true },
          AMActionVersion: '2.0.3',
          AMParameterProperties: {
            COMMAND_STRING: {},
            CheckedForUserDefaultShell: {},
            inputMethod: {},
            shell: {},
            source: {},
          },
          AMProvides: strings,
          ActionBundlePath: '/System/Library/Automator/Run Shell Script.action',
          ActionName: 'Run Shell Script',
          ActionParameters: {
            COMMAND_STRING: script,
            CheckedForUserDefaultShell: true,
            inputMethod: 1,
            shell: '/bin/sh',
            source: '',
          },
          BundleIdentifier: 'com.apple.RunShellScript',
          CFBundleVersion: '2.0.3',
          CanShowSelectedItemsWhenRun: false,
          CanShowWhenRun: true,
          'Class Name': 'RunShellScriptAction',
          InputUUID: uuid('input'),
          OutputUUID: uuid('output'),
          UUID: uuid('action'),
          arguments: {},
          isViewVisible: true,
        },
        isViewVisible: true,
      },
    ],
    connectors: {},
    workflowMetaData: {
      applicationBundleIDsByPath: {},
      applicationPaths: [],
      inputTypeIdentifier: 'com.apple.Automator.fileSystemObject',
      outputTypeIdentifier: 'com.apple.Automator.nothing',
      presentationMode: 15,
      processesInput: false,
      serviceInputTypeIdentifier: 'com.apple.Automator.fileSystemObject',
      serviceOutputTypeIdentifier: 'com.apple.Automator.nothing',
      serviceProcessesInput: false,
      systemImageName: 'NSActionTemplate',
      useAutomaticInputType: false,
      workflowTypeIdentifier: 'com.apple.Automator.servicesMenu',
    },
  }
}

function uuidFrom(seed: string): string {
  const hex = createHash('sha256').update(seed).digest('hex').toUpperCase()
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  )
}

type Plist = string | number | boolean | readonly Plist[] | { readonly [key: string]: Plist }

const plistText = (value: Plist): string =>
  [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    `<!-- ${MARK} -->`,
    `<plist version="1.0">${plistValue(value)}</plist>`,
    '',
  ].join('\n')

function plistValue(value: Plist): string {
  if (typeof value === 'string') return `<string>${xmlText(value)}</string>`
  if (typeof value === 'number') return `<integer>${value}</integer>`
  if (typeof value === 'boolean') return value ? '<true/>' : '<false/>'
  if (isList(value)) return `<array>${value.map(plistValue).join('')}</array>`
  const entries = Object.entries(value).map(([key, of]) => `<key>${xmlText(key)}</key>${plistValue(of)}`)
  return `<dict>${entries.join('')}</dict>`
}

const isList = (value: Plist): value is readonly Plist[] => Array.isArray(value)
