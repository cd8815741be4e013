/** Browser features that an app doesn't need. */
const SWITCHED_OFF = [
  'Translate',
  'MediaRouter',
  'HttpsUpgrades',
  // These connect to Google.
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  // These start processes at every launch, for two pages of the address bar and for a renderer in reserve. Together they take longer than
  // the rest of the launch.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'SpareRendererForSitePerProcess',
]

/** Flags with which Chromium starts only the processes that a page needs. Chromium ignores earlier lists of features. */
export const FEWER_PROCESSES = [
  // Without a GPU, a separate GPU process would only pass frames on.
  '--in-process-gpu',
  `--disable-features=${SWITCHED_OFF.join(',')}`,
  // Starting a process for the few network requests took a tenth of the launch.
  '--enable-features=NetworkServiceInProcess2',
]
