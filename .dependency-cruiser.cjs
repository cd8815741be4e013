/**
 * Layer rules. A module is a folder directly below src/main or src/service. Other modules can import only its public file:
 * `index.ts`, or the file with the module's name.
 */

// swc's visitor rejects `using`, whose declarations have the same form as those of `const`.
const { Visitor } = require('@swc/core/Visitor.js')

const { value: visit } = Object.getOwnPropertyDescriptor(Visitor.prototype, 'visitStatement')
Visitor.prototype.visitStatement = function (statement) {
  if (statement.type !== 'UsingDeclaration') return visit.call(this, statement)
  this.visitVariableDeclarators(statement.decls)
  return statement
}

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'shared-imports-only-shared',
      severity: 'error',
      from: { path: '^src/shared/' },
      to: { path: '^src/(?!shared/)' },
    },
    {
      name: 'renderer-imports-only-shared',
      severity: 'error',
      from: { path: '^src/renderer/' },
      to: { path: '^src/(main|service|preload)/' },
    },
    {
      name: 'renderer-ui-imports-only-ui',
      severity: 'error',
      from: { path: '^src/renderer/ui/' },
      to: { path: '^src/renderer/(?!ui/)' },
    },
    {
      name: 'renderer-store-imports-only-ui',
      severity: 'error',
      from: { path: '^src/renderer/store/' },
      to: { path: '^src/renderer/(?!store/|ui/)' },
    },
    {
      name: 'renderer-store-imports-only-types-from-ui',
      severity: 'error',
      from: { path: '^src/renderer/store/' },
      to: { path: '^src/renderer/ui/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'renderer-pickers-import-only-ui-and-store',
      severity: 'error',
      from: { path: '^src/renderer/pickers/' },
      to: { path: '^src/renderer/(?!pickers/|ui/|store/)' },
    },
    {
      name: 'renderer-panes-do-not-import-each-other',
      severity: 'error',
      from: { path: '^src/renderer/(list|job-pane|settings|preset-studio|notices|first-run)/' },
      to: { path: '^src/renderer/', pathNot: '^src/renderer/($1|preview|pickers|ui|store)/' },
    },
    {
      name: 'renderer-preview-imports-only-ui-and-store',
      severity: 'error',
      from: { path: '^src/renderer/preview/' },
      to: { path: '^src/renderer/(?!preview/|ui/|store/)' },
    },
    {
      name: 'renderer-overlays-do-not-import-the-window',
      severity: 'error',
      from: { path: '^src/renderer/overlays/' },
      to: { path: '^src/renderer/[^/]+$' },
    },
    {
      name: 'renderer-top-files-do-not-import-each-other',
      severity: 'error',
      from: { path: '^src/renderer/(window|keyboard|drops|app-events)[.]tsx?$' },
      to: { path: '^src/renderer/[^/]+[.]tsx?$' },
    },
    {
      name: 'renderer-and-shared-do-not-use-node',
      severity: 'error',
      // The bundler's configuration is in the same folder but isn't part of the page.
      from: { path: '^src/(renderer|shared)/', pathNot: '[.]config[.]ts$' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'preload-imports-only-shared-and-electron',
      severity: 'error',
      from: { path: '^src/preload/' },
      to: { pathNot: ['^src/(shared|preload)/', '^node_modules/electron/', '^electron$'] },
    },
    {
      name: 'node-imports-only-shared',
      severity: 'error',
      from: { path: '^src/node/' },
      to: { path: '^src/(?!node/|shared/)' },
    },
    {
      name: 'media-imports-only-node-and-shared',
      severity: 'error',
      from: { path: '^src/media/' },
      to: { path: '^src/(?!media/|node/|shared/)' },
    },
    {
      name: 'decoders-load-only-in-media-processes',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/media/' },
      to: { path: '^src/media/', pathNot: '^src/media/(protocol|start-worker)[.]ts$' },
    },
    {
      name: 'service-imports-only-shared-node-and-the-protocol',
      severity: 'error',
      from: { path: '^src/service/' },
      to: { path: '^src/(main|renderer|preload)/' },
    },
    {
      name: 'main-imports-no-code-of-other-processes',
      severity: 'error',
      from: { path: '^src/main/' },
      to: { path: '^src/(renderer|preload|service)/' },
    },
    {
      name: 'electron-only-in-desktop',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/main/desktop/', '^src/main/index[.]ts$', '^src/preload/'] },
      to: { path: ['^node_modules/electron/', '^electron$'] },
    },
    {
      name: 'folders-of-desktop-do-not-import-each-other',
      severity: 'error',
      from: { path: '^src/main/desktop/([^/]+)/' },
      to: {
        path: '^src/main/desktop/([^/]+)/',
        pathNot: '^src/main/desktop/$1/',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'modules-of-main-have-one-public-file',
      severity: 'error',
      from: { path: '^src/main/([^/]+)/' },
      to: { path: '^src/main/([^/]+)/', pathNot: ['^src/main/$1/', '^src/main/([^/]+)/(index|\\1)[.]ts$'] },
    },
    {
      name: 'modules-of-the-service-have-one-public-file',
      severity: 'error',
      from: { path: '^src/service/([^/]+)/' },
      to: {
        path: '^src/service/([^/]+)/',
        pathNot: ['^src/service/$1/', '^src/service/([^/]+)/(index|\\1)[.]ts$'],
      },
    },
    {
      name: 'service-layers: processing, drive and presets import no other module of the service',
      severity: 'error',
      from: { path: '^src/service/(processing|drive|presets)/' },
      to: { path: '^src/service/', pathNot: '^src/service/$1/' },
    },
    {
      name: 'service-layers: queue, http and service do not import main',
      severity: 'error',
      from: { path: '^src/service/(queue/|http/|service[.]ts$)' },
      to: { path: '^src/service/main[.]ts$' },
    },
    {
      name: 'service-layers: http and queue do not import the service that connects them',
      severity: 'error',
      from: { path: '^src/service/(queue|http)/' },
      to: { path: '^src/service/service[.]ts$' },
    },
    {
      name: 'service-layers: the queue does not import http',
      severity: 'error',
      from: { path: '^src/service/queue/' },
      to: { path: '^src/service/http/' },
    },
    {
      name: 'product-does-not-import-test-code',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|bench|scripts)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    parser: 'swc',
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
}
