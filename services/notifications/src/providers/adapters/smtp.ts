import { createTransport } from "nodemailer";
import Type, { type Static } from "typebox";
import type { Account, Adapter, Outcome } from "../../provider.ts";
import type { RenderedEmail } from "../../rendering/rendered.ts";

const Credentials = Type.Object(
	{
		host: Type.String({ minLength: 1, maxLength: 253 }),
		port: Type.Integer({ minimum: 1, maximum: 65_535 }),
		/** TLS from the start (465); otherwise STARTTLS. */
		secure: Type.Boolean(),
		/** Refuses a server without STARTTLS. */
		requireTls: Type.Boolean(),
		user: Type.Optional(Type.String({ maxLength: 256 })),
		password: Type.Optional(Type.String({ maxLength: 1_024 })),
		dkim: Type.Optional(
			Type.Object(
				{
					domain: Type.String({ maxLength: 253 }),
					selector: Type.String({ maxLength: 63 }),
					privateKey: Type.String({ maxLength: 8_192 }),
				},
				{ additionalProperties: false },
			),
		),
	},
	{ additionalProperties: false },
);
type Credentials = Static<typeof Credentials>;

const connectionMs = 5_000;
const silenceMs = 15_000;
const poolConnectionsMax = 10;

/**
 * Opens a pool of connections to a server. Messages can name neither files nor addresses to fetch. A message
 * whose connection breaks is not sent again by the pool: the dispatcher decides.
 */
function openPool({ credentials }: Account<Credentials>) {
	const { host, port, secure, requireTls: requireTLS, user, password: pass, dkim } = credentials;
	return createTransport({
		...{ host, port, secure, requireTLS, pool: true as const },
		...{ maxConnections: poolConnectionsMax, maxMessages: 1_000, maxRequeues: 0 },
		...{ connectionTimeout: connectionMs, greetingTimeout: connectionMs, socketTimeout: silenceMs },
		...{ disableFileAccess: true, disableUrlAccess: true },
		...(user !== undefined && pass !== undefined && { auth: { user, pass } }),
		...(dkim !== undefined && {
			dkim: { domainName: dkim.domain, keySelector: dkim.selector, privateKey: dkim.privateKey },
		}),
	});
}
type Pool = ReturnType<typeof openPool>;

/** E-mail over SMTP (RFC 5321), with DKIM if the account has a key. */
export const smtp: Adapter<typeof Credentials, Pool> = {
	kind: "smtp",
	channels: ["email"],
	credentials: Credentials,
	can: { deduplicate: false, lookUp: false, echoId: false },
	connect: (account) => {
		const pool = openPool(account);
		return { connection: pool, close: () => pool.close() };
	},
	async send({ connection: pool }, message, { deliveryId, signal }) {
		if (message.channel !== "email") throw new Error(`smtp cannot send ${message.channel}`);
		try {
			const { messageId } = await pool.sendMail({ ...toMail(message, deliveryId), signal });
			return { is: "accepted", ref: messageId };
		} catch (error) {
			return outcomeOf(error);
		}
	},
	async check({ connection: pool }) {
		try {
			await pool.verify();
			return { is: "accepted" };
		} catch (error) {
			return outcomeOf(error);
		}
	},
};

/** The mail as fields: nodemailer encodes them. Its Message-ID is the same at each attempt. */
function toMail(
	{ from, to, replyTo, subject, html, text, unsubscribeUrl }: RenderedEmail,
	deliveryId: string,
) {
	const domain = from.address.slice(from.address.lastIndexOf("@") + 1);
	return {
		from,
		to: { name: "", address: to },
		...(replyTo !== undefined && { replyTo: { name: "", address: replyTo } }),
		...{ subject, html, text, messageId: `<${deliveryId}@${domain}>` },
		headers: {
			// Stops answers of absence (RFC 3834).
			"Auto-Submitted": "auto-generated",
			...(unsubscribeUrl !== undefined && {
				"List-Unsubscribe": `<${unsubscribeUrl}>`,
				"List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
			}),
		},
	};
}

/** Errors of nodemailer before anything of the message was sent. */
const unreachable: ReadonlySet<string> = new Set([
	"EDNS",
	"ETLS",
	"EAUTH",
	"ENOAUTH",
	"EREQUIRETLS",
	"EPROXY",
]);
/** RFC 3463: the mailbox does not exist, has moved, or its syntax is wrong. */
const badAddress = /\b5\.1\.(1|2|3|6|10)\b/;

type MailError = {
	code?: string;
	command?: string;
	responseCode?: number;
	response?: string;
	syscall?: string;
};

function outcomeOf(error: unknown): Outcome {
	const { code = "unknown", command, responseCode, response = "", syscall } = error as MailError;
	if (unreachable.has(code) || syscall === "connect" || isConnecting(code, command))
		return { is: "refused", mayRetry: true, code: code.toLowerCase(), isUnreachable: true };
	if (responseCode === undefined || responseCode < 400) return { is: "unknown", code: code.toLowerCase() };
	const isAddressBad = responseCode >= 500 && command === "RCPT TO" && badAddress.test(response);
	return {
		is: "refused",
		mayRetry: responseCode < 500,
		code: `smtp_${responseCode}`,
		...(isAddressBad && { isAddressBad }),
	};
}

/** The server did not answer when the connection was opened. */
const isConnecting = (code: string, command: string | undefined) =>
	(code === "ETIMEDOUT" || code === "ESOCKET") && command === "CONN";
