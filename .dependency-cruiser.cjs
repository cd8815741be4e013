/**
 * The layers of the house. A module is a folder directly below src/main or src/service; its public face is `index.ts`
 * or the file named like the module, and other modules import only that.
 */
/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'shared-imports-nothing-of-ours',
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
      name: 'renderer-ui-knows-no-store',
      severity: 'error',
      from: { path: '^src/renderer/ui/' },
      to: { path: '^src/renderer/(?!ui/)' },
    },
    {
      name: 'renderer-store-draws-nothing',
      severity: 'error',
      from: { path: '^src/renderer/store/' },
      to: { path: '^src/renderer/(?!store/|ui/)' },
    },
    {
      name: 'renderer-store-takes-types-only-from-ui',
      severity: 'error',
      from: { path: '^src/renderer/store/' },
      to: { path: '^src/renderer/ui/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'renderer-pickers-know-ui-and-store',
      severity: 'error',
      from: { path: '^src/renderer/pickers/' },
      to: { path: '^src/renderer/(?!pickers/|ui/|store/)' },
    },
    {
      name: 'renderer-panes-are-siblings',
      severity: 'error',
      from: { path: '^src/renderer/(list|job-pane|settings|preset-studio|notices|first-run)/' },
      to: { path: '^src/renderer/', pathNot: '^src/renderer/($1|preview|pickers|ui|store)/' },
    },
    {
      name: 'renderer-preview-knows-ui-and-store',
      severity: 'error',
      from: { path: '^src/renderer/preview/' },
      to: { path: '^src/renderer/(?!preview/|ui/|store/)' },
    },
    {
      name: 'renderer-overlays-know-no-window',
      severity: 'error',
      from: { path: '^src/renderer/overlays/' },
      to: { path: '^src/renderer/[^/]+$' },
    },
    {
      name: 'renderer-window-keyboard-and-events-are-siblings',
      severity: 'error',
      from: { path: '^src/renderer/(window|keyboard|app-events)[.]tsx?$' },
      to: { path: '^src/renderer/[^/]+[.]tsx?$' },
    },
    {
      name: 'renderer-knows-no-node',
      severity: 'error',
      // The bundler's configuration lies there but never gets into the page.
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
      name: 'decoders-load-in-media-processes-only',
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
      name: 'main-imports-no-other-process',
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
      name: 'folders-of-desktop-are-siblings',
      severity: 'error',
      from: { path: '^src/main/desktop/([^/]+)/' },
      to: {
        path: '^src/main/desktop/([^/]+)/',
        pathNot: '^src/main/desktop/$1/',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'a-module-of-main-has-one-face',
      severity: 'error',
      from: { path: '^src/main/([^/]+)/' },
      to: { path: '^src/main/([^/]+)/', pathNot: ['^src/main/$1/', '^src/main/([^/]+)/(index|\\1)[.]ts$'] },
    },
    {
      name: 'a-module-of-the-service-has-one-face',
      severity: 'error',
      from: { path: '^src/service/([^/]+)/' },
      to: {
        path: '^src/service/([^/]+)/',
        pathNot: ['^src/service/$1/', '^src/service/([^/]+)/(index|\\1)[.]ts$'],
      },
    },
    {
      name: 'service-ranks: processing, drive and presets know no other module of the service',
      severity: 'error',
      from: { path: '^src/service/(processing|drive|presets)/' },
      to: { path: '^src/service/', pathNot: '^src/service/$1/' },
    },
    {
      name: 'service-ranks: main, service, http, queue import downwards only',
      severity: 'error',
      from: { path: '^src/service/(queue/|http/|service[.]ts$)' },
      to: { path: '^src/service/main[.]ts$' },
    },
    {
      name: 'service-ranks: http and queue are put together by the service',
      severity: 'error',
      from: { path: '^src/service/(queue|http)/' },
      to: { path: '^src/service/service[.]ts$' },
    },
    {
      name: 'service-ranks: the queue knows nothing of HTTP',
      severity: 'error',
      from: { path: '^src/service/queue/' },
      to: { path: '^src/service/http/' },
    },
    {
      name: 'no-test-code-in-the-product',
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
