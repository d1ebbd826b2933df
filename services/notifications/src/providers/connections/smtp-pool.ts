import { connect, type Socket } from "node:net";
import { Readable } from "node:stream";
import { createTransport, type SendMailOptions } from "nodemailer";
import DKIM from "nodemailer/lib/dkim";
import type { SMTPTransportGetSocketCallback } from "nodemailer/lib/smtp-transport";
import { type MailHost, type Resolve, resolveMailHost } from "./host-policy.ts";
import { writeMail } from "./write-mail.ts";

/** A mail server and how to sign in and to sign mails there. */
export type SmtpServer = MailHost & {
	/** TLS from the start (port 465); otherwise STARTTLS. */
	isSecure: boolean;
	/** How many connections it takes at once. */
	connectionsMax: number;
	login?: { user: string; pass: string };
	/** PEM: the authority of the server's certificate, if it is not a public one. */
	ca?: string;
	dkim?: { domainName: string; keySelector: string; privateKey: string };
};

/** What happened to a mail. `wasSent`: some of the message left, so the server may have accepted it. */
type MailResult = { messageId: string } | { error: unknown; wasSent: boolean };

/** Connections to one mail server. */
export type SmtpPool = {
	/** Sends a mail that consists of fields. The signal is this call's only. Never rejects. */
	send(mail: SendMailOptions, signal: AbortSignal): Promise<MailResult>;
	/** Connects and signs in, without a mail. Rejects with the error. */
	verify(signal: AbortSignal): Promise<void>;
	/** Closes it. A mail that is being sent is finished; those that wait fail. */
	close(): void;
};

/** Thrown if the server could not be reached: nothing was sent. */
export class NotConnected extends Error {
	override name = "NotConnected";
	readonly code: string;
	constructor(code: string, options?: ErrorOptions) {
		super(code, options);
		this.code = code;
	}
}

const connectMs = 5_000;
const silenceMs = 20_000;
const idleMs = 30_000;
const mailsPerConnectionMax = 100;
const replyBytesMax = 64 * 1024;

/** The fields of RFC 6376 §5.4.1 that we send, and both of RFC 8058 §4. */
const signedFields = [
	...["From", "Reply-To", "Subject", "Date", "Message-ID", "To", "MIME-Version", "Content-Type"],
	...["Content-Transfer-Encoding", "Auto-Submitted", "List-Unsubscribe", "List-Unsubscribe-Post"],
].join(":");

/**
 * Opens a pool. A connection is closed after 30 s without a mail, so that a pool without mails
 * holds none. Every connection resolves and checks the host and connects to the checked address. Mails name
 * neither files nor addresses to fetch. A mail is sent over a second connection only if the server closed an
 * idle one before a byte of the message left.
 */
export function openSmtpPool(server: SmtpServer, resolve?: Resolve): SmtpPool {
	const { host, port, connectionsMax, isSecure: secure, isEncrypted, login, ca, dkim } = server;
	const streams = new WeakMap<AbortSignal, Readable>();
	const signer = dkim && new DKIM({ ...dkim, headerFieldNames: signedFields });
	const transport = createTransport({
		...{ pool: true as const, host, port, secure, requireTLS: isEncrypted, ignoreTLS: !isEncrypted },
		...{ maxConnections: connectionsMax, maxMessages: mailsPerConnectionMax, maxRequeues: 1 },
		...{ connectionTimeout: connectMs, greetingTimeout: connectMs, socketTimeout: silenceMs },
		...{ idleTimeout: idleMs, maxResponseSize: replyBytesMax },
		...{ disableFileAccess: true, disableUrlAccess: true },
		tls: { minVersion: "TLSv1.2", ...(ca !== undefined && { ca }) },
		...(login !== undefined && { auth: login }),
		getSocket: (_options: unknown, callback: SMTPTransportGetSocketCallback) => {
			openSocket(server, resolve).then(
				(connection) => callback(null, { connection }),
				(error: Error) => callback(error),
			);
		},
	});
	transport.use("stream", ({ message, data }, done) => {
		message.createReadStream = () => {
			const bytes = writeMail(message);
			const stream =
				signer === undefined ? Readable.from([bytes], { objectMode: false }) : signer.sign(bytes);
			if (data.signal !== undefined) streams.set(data.signal, stream);
			return stream;
		};
		done();
	});
	return {
		async send(mail, signal) {
			try {
				const { messageId } = await transport.sendMail({ ...mail, encoding: "quoted-printable", signal });
				return { messageId };
			} catch (error) {
				return { error, wasSent: streams.get(signal)?.readableDidRead === true };
			}
		},
		verify: (signal) => abortable(transport.verify(), signal),
		close: () => transport.close(),
	};
}

/** Connects to an address of the server that was checked. */
async function openSocket(server: SmtpServer, resolve: Resolve | undefined): Promise<Socket> {
	const { host, port } = server;
	const addresses = await resolveMailHost(server, resolve).catch((error) => {
		throw isSystemError(error) ? new NotConnected(error.code, { cause: error }) : error;
	});
	return new Promise((succeed, fail) => {
		const socket = connect({
			...{ host, port, autoSelectFamily: true },
			lookup: (_host, { all }, callback) => {
				const [first] = addresses;
				if (all === true) callback(null, [...addresses]);
				else callback(null, first?.address ?? "", first?.family);
			},
		});
		const end = (code: string, cause?: Error) => {
			clearTimeout(timer);
			socket.destroy();
			fail(new NotConnected(code, { cause }));
		};
		const timer = setTimeout(end, connectMs, "ETIMEDOUT");
		const onError = (error: NodeJS.ErrnoException) => end(error.code ?? "ESOCKET", error);
		socket.once("error", onError);
		socket.once("connect", () => {
			clearTimeout(timer);
			socket.removeListener("error", onError);
			succeed(socket);
		});
	});
}

const isSystemError = (error: unknown): error is NodeJS.ErrnoException & { code: string } =>
	error instanceof Error && "syscall" in error && "code" in error;

/** The promise, or the reason of the signal, whichever is first. */
async function abortable(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
	signal.throwIfAborted();
	const { promise, reject } = Promise.withResolvers<never>();
	const onAbort = () => reject(signal.reason);
	signal.addEventListener("abort", onAbort, { once: true });
	try {
		await Promise.race([work, promise]);
	} finally {
		signal.removeEventListener("abort", onAbort);
	}
}
