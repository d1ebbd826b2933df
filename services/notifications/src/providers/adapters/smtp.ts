import type { SendMailOptions } from "nodemailer";
import Type, { type Static } from "typebox";
import type { Account, Adapter, Outcome } from "../../provider.ts";
import type { RenderedEmail } from "../../rendering/rendered.ts";
import { HostForbidden } from "../connections/host-policy.ts";
import { NotConnected, openSmtpPool, type SmtpPool } from "../connections/smtp-pool.ts";
import { FromAddress, fromAccount, headersOf, isSafe, messageIdOf } from "./mail-fields.ts";

const Credentials = Type.Object(
	{
		host: Type.String({ minLength: 1, maxLength: 253 }),
		port: Type.Integer({ minimum: 1, maximum: 65_535 }),
		/** TLS from the start (465); otherwise STARTTLS. */
		secure: Type.Boolean(),
		/** Refuses a server without STARTTLS; false: does not encrypt, for the platform's own network. */
		requireTls: Type.Boolean(),
		user: Type.Optional(Type.String({ maxLength: 256 })),
		password: Type.Optional(Type.String({ maxLength: 1_024 })),
		fromAddress: FromAddress,
		/** PEM: the authority of the server's certificate, if it is not a public one. */
		ca: Type.Optional(Type.String({ maxLength: 16_384 })),
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

/**
 * E-mail over SMTP (RFC 5321). The Message-ID is the same at each attempt, so a mailbox can recognize a mail
 * that came twice. DKIM if the account has a key.
 */
export const smtp: Adapter<typeof Credentials, SmtpPool> = {
	kind: "smtp",
	channels: ["email"],
	credentials: Credentials,
	can: { deduplicate: false, lookUp: false, echoId: false },
	connect(account) {
		const pool = openSmtpPool(toServer(account));
		return { connection: pool, close: pool.close };
	},
	async send(account, message, { deliveryId, signal }) {
		if (message.channel !== "email") throw new Error(`smtp cannot send ${message.channel}`);
		const mail = fromAccount(message, account);
		if (!isSafe(mail)) return { is: "refused", mayRetry: false, code: "message_invalid" };
		const fields = toFields(mail, messageIdOf(message, deliveryId));
		const result = await account.connection.send(fields, signal);
		return "error" in result ? outcomeOf(result) : { is: "accepted", ref: result.messageId };
	},
	async check({ connection }, { signal }) {
		try {
			await connection.verify(signal);
			return { is: "accepted" };
		} catch (error) {
			return outcomeOf({ error, wasSent: false });
		}
	},
};

function toServer({ owner, inFlightMax, credentials }: Account<Static<typeof Credentials>>) {
	const { host, port, secure, requireTls, user, password, ca, dkim } = credentials;
	return {
		...{ owner, host, port, isSecure: secure, isEncrypted: secure || requireTls },
		connectionsMax: inFlightMax,
		...(user !== undefined && password !== undefined && { login: { user, pass: password } }),
		...(ca !== undefined && { ca }),
		...(dkim !== undefined && {
			dkim: { domainName: dkim.domain, keySelector: dkim.selector, privateKey: dkim.privateKey },
		}),
	};
}

/** The mail as fields: nodemailer encodes them. */
function toFields(mail: RenderedEmail, messageId: string): SendMailOptions {
	const { from, to, replyTo, subject, html, text } = mail;
	return {
		...{ from, to: { name: "", address: to }, subject, html, text },
		...(replyTo !== undefined && { replyTo: { name: "", address: replyTo } }),
		messageId,
		xMailer: false,
		headers: headersOf(mail),
	};
}

/** What nodemailer adds to an error. `originalCode`: of Node, where nodemailer has a more general one. */
type MailError = {
	code?: string;
	originalCode?: string;
	command?: string;
	responseCode?: number;
	response?: string;
};

/** RFC 3463: no such mailbox, no such domain, wrong syntax, moved, no mail accepted (RFC 7505). */
const badAddress: ReadonlySet<string> = new Set(["5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10"]);
/** Commands that the server answers by what it thinks of the mail. */
const judging: ReadonlySet<string> = new Set(["MAIL FROM", "RCPT TO", "DATA"]);
/** RFC 4954 §6: sign in first, or with other credentials. RFC 5321 §3.8: the server is closing. */
const ofServer: ReadonlySet<number> = new Set([421, 454, 530, 534, 535, 538]);

/**
 * An answer to MAIL, RCPT or DATA is about the mail: 4yz may be retried, 5yz not (RFC 5321 §4.2.1). An
 * address is bad only if the enhanced code says so, because servers refuse by policy with 550, too. Without
 * an answer the mail may have been accepted if any of the message left; otherwise the server was not reached.
 */
function outcomeOf({ error, wasSent }: { error: unknown; wasSent: boolean }): Outcome {
	if (error instanceof HostForbidden || error instanceof NotConnected) return unreachable(error.code);
	const { originalCode, code = "error", command = "", responseCode, response = "" } = error as MailError;
	if (responseCode === undefined || responseCode < 400)
		return wasSent ? { is: "unknown", code: code.toLowerCase() } : fromClient(code, originalCode);
	const enhanced = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1];
	const reply = ["smtp", responseCode, enhanced].filter((part) => part !== undefined).join("_");
	if (!judging.has(command) || ofServer.has(responseCode)) return unreachable(reply);
	const isAddressBad =
		command === "RCPT TO" && responseCode >= 500 && enhanced !== undefined && badAddress.has(enhanced);
	return {
		...{ is: "refused", mayRetry: responseCode < 500, code: reply },
		...(isAddressBad && { isAddressBad }),
	};
}

/** nodemailer's own refusals: the mail is larger than the server's SIZE, or an address is not accepted. */
const ofMessage: ReadonlySet<string> = new Set(["EMESSAGE", "EENVELOPE", "ESTREAM"]);

const fromClient = (code: string, originalCode = code): Outcome =>
	ofMessage.has(code)
		? { is: "refused", mayRetry: false, code: code.toLowerCase() }
		: unreachable(originalCode);

const unreachable = (code: string): Outcome => ({
	...{ is: "refused", mayRetry: true, code: code.toLowerCase(), isUnreachable: true },
});
