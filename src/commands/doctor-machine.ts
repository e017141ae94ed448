// What differs on machines other than the usual ones, and how missing programs are installed there.

/** Where the embedded PostgreSQL and all other parts are tried. */
const usual = ['x64', 'arm64']

/** In one sentence, with how much it matters. */
export function checkMachine(platform: NodeJS.Platform, arch: string): ['ok' | 'warn' | 'fail', string] {
  if (platform === 'linux')
    return usual.includes(arch)
      ? ['ok', `Linux on ${arch}`]
      : ['warn', `Linux on ${arch}: there is no embedded database for it, so set DATABASE_URL`]
  if (platform === 'darwin')
    return [
      'warn',
      `macOS on ${arch}, for trying it and for writing adapters: bubblewrap, prlimit and setpriv are not there, so media children run without a jail and without a limit of memory; for events take Linux`,
    ]
  return ['fail', `${platform} is not supported; take Linux on x64 or arm64, or macOS`]
}

/** Packages of Debian by the names that Homebrew has for them. */
const brewed: Record<string, string> = {
  ffmpeg: 'brew install ffmpeg',
  'libjpeg-turbo-progs': 'brew install jpeg-turbo',
  'fonts-noto-color-emoji': 'brew install --cask font-noto-color-emoji',
}

export function howToInstall(debian: string, platform: NodeJS.Platform = process.platform): string {
  if (platform !== 'darwin') return `sudo apt-get install ${debian}`
  return brewed[debian] ?? 'macOS has none'
}
