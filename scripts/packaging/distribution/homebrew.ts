/** Cask for Homebrew: https://docs.brew.sh/Cask-Cookbook */
import { APP_ID, type Release } from './release.ts'

export function homebrewCask(release: Release): string {
  const { dmg } = release.packages
  const name = dmg.x64.nameFor('#{version}').replace('x64.dmg', '#{arch}.dmg')
  return `cask "mediatray" do
  arch arm: "arm64", intel: "x64"

  version "${release.version}"
  sha256 arm:   "${dmg.arm64.sha256}",
         intel: "${dmg.x64.sha256}"

  url "${escaped(release.folder)}/${name}"
  name "Mediatray"
  desc "${escaped(release.synopsis)}"
  homepage "${escaped(release.homePage)}"

  livecheck do
    url "${escaped(release.folder)}/${release.channel}-mac.yml"
    strategy :electron_builder
  end

${release.isSigned ? '  auto_updates true\n' : ''}  depends_on macos: :ventura

  app "Mediatray.app"
  binary "#{appdir}/Mediatray.app/Contents/Resources/bin/mediatray-cli"

  uninstall quit: "${APP_ID}"

  zap trash: [
    "~/Library/Application Support/Mediatray",
    "~/Library/Preferences/${APP_ID}.plist",
    "~/Library/Saved Application State/${APP_ID}.savedState",
  ]
end
`
}

/** Escapes a text for a Ruby string. Ruby would run the code in an interpolation such as `#{…}`. */
const escaped = (text: string): string => text.replaceAll(/["\\]|#(?=[{$@])/g, String.raw`\$&`)
