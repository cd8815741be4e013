/**
 * `node scripts/with-node.cjs SCRIPT …` runs one of the project's scripts on the Node version that it needs. This file runs on Node
 * 14 or later.
 * `npm ci` installs this version, except on systems for which npm has no such package.
 *
 * With `--built BUNDLE` before the script, the bundle runs instead if it is up to date with the sources.
 */
'use strict'
const { spawn } = require('child_process')
const { existsSync, readdirSync, symlinkSync } = require('fs')
const path = require('path')

const NEEDED = 24
const root = path.resolve(__dirname, '..')
const modules = path.join(root, 'node_modules')
const version = process.versions.node
const isWindows = process.platform === 'win32'

/** @returns the path of the installed Node; undefined if there isn't one */
function installedNode() {
  const name = ['node', isWindows ? 'win' : process.platform, process.arch].join('-')
  const installed = path.join(modules, name, 'bin', isWindows ? 'node.exe' : 'node')
  return existsSync(installed) ? installed : undefined
}

/**
 * Links the installed Node to `.bin`, where tools that are called by hand look for it.
 * npm up to 10 removes that link after installing, because the packages for other systems have a link of the same name.
 */
function linkNode(node) {
  const link = path.join(modules, '.bin', 'node')
  if (isWindows || existsSync(link)) return
  try {
    symlinkSync(path.relative(path.dirname(link), node), link)
  } catch {
    // The folder belongs to another user, or another process has just created the link. Processes started here find Node on PATH.
  }
}

/**
 * Returns whether the decoders are installed. They are published separately for each system, and npm omits them if told to, or if
 * it misdetects the system.
 */
function hasDecoders() {
  const folder = path.join(modules, '@img')
  return existsSync(folder) && readdirSync(folder).some((name) => /^sharp-(?!libvips)/.test(name))
}

/** @returns why the script can't run, in a sentence; undefined if it can */
function reasonAgainst(node) {
  if (!existsSync(modules)) return 'Nothing is installed yet. Type: npm ci'
  if (node === undefined)
    return (
      `Mediatray needs Node ${NEEDED} or newer; this is Node ${version}, and npm ci installs none for this system. ` +
      'Install it from https://nodejs.org and try again'
    )
  if (!hasDecoders())
    return 'The photo decoders are missing from node_modules. Type: npm ci --include=optional'
  return undefined
}

/** @param args this script's arguments */
function commandOf(args) {
  if (args[0] !== '--built') return args
  const { isBuilt } = require('./built.cjs')
  const [, bundle, script, ...others] = args
  return [isBuilt(root) ? bundle : script].concat(others)
}

function run(node, args) {
  const child = spawn(node, ['--disable-warning=ExperimentalWarning'].concat(args), {
    stdio: 'inherit',
    env: Object.assign({}, process.env, {
      PATH: [path.dirname(node), process.env.PATH].join(path.delimiter),
      // A short command spends half of its time compiling the sources, so the compiled code is cached. A read-only folder only
      // disables the cache.
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE || path.join(modules, '.cache', 'compiled'),
    }),
  })
  child.once('error', (error) => {
    console.error(
      `Mediatray needs Node ${NEEDED} or newer; this is Node ${version}, and the one that npm ci installed doesn’t run here ` +
        `(${error.message}). Install it from https://nodejs.org and try again`,
    )
    process.exitCode = 1
  })
  child.once('exit', (code) => {
    process.exitCode = code === null ? 1 : code
  })
  // A terminal sends Ctrl-C to both processes; the script decides what to do.
  process.on('SIGINT', () => undefined)
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
}

const isNewEnough = Number(version.split('.')[0]) >= NEEDED
const installed = installedNode()
if (installed !== undefined) linkNode(installed)
const node = isNewEnough ? process.execPath : installed
const reason = reasonAgainst(node)
if (reason === undefined) run(node, commandOf(process.argv.slice(2)))
else {
  console.error(reason)
  process.exitCode = 1
}
