// Tells systemd how the service is (sd_notify): ready, or stopping. Elsewhere nobody listens, and nothing is done.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { PERL } from '#kit/process/own-group.ts'
import { ownEnvironment } from '#kit/settings.ts'

/** Node opens no datagram sockets of Unix, and Perl, which every Debian has, does. A name that begins with @ is an abstract one. */
const SEND = `use Socket; my ($to, $text) = @ARGV; $to =~ s/^@/\\0/;
socket(my $s, PF_UNIX, SOCK_DGRAM, 0) or exit 1; send($s, $text, 0, sockaddr_un($to)) or exit 1`

/** Whether a service manager started us. What we print then goes into its journal. */
export const isService = (): boolean => Boolean(ownEnvironment().NOTIFY_SOCKET)

/** `lines` as in sd_notify(3). Nobody waits for it: a service manager that does not hear us gives up by itself. */
export function notify(...lines: string[]): void {
  const { NOTIFY_SOCKET: socket } = ownEnvironment()
  if (!socket || !existsSync(PERL)) return
  const child = spawn(PERL, ['-e', SEND, socket, lines.join('\n')], { stdio: 'ignore', env: { PERL_BADLANG: '0' } })
  child.on('error', () => {})
}
