import { createHash } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from "smtp-server";
import type { FaultAction, SmtpCommand } from "../faults/fault.ts";
import { specialOf } from "../faults/special-recipients.ts";
import type { Arrival, Letter, Outcome } from "../record/arrival.ts";
import type { Sandbox } from "../sandbox.ts";
import { makeCertificate } from "./certificate.ts";
import { readMail } from "./read-mail.ts";
import { followSockets, type Sockets } from "./sockets.ts";

/** The largest mail, as SIZE announces it (RFC 1870). */
const mailBytesMax = 10 * 1024 * 1024;
const clientsMax = 1000;

/** The SMTP server of a sandbox: its port, its certificate (PEM) and its end. */
export type MailServer = { port: number; certificate: string; stop(): Promise<void> };

/** A reply with a code (RFC 5321 §4.2). */
type Refusal = { code: number; text: string };

/** One mail transaction: from MAIL to the reply to its data. */
type Transaction = { ordinal: number; nth: number; action: FaultAction | "open" | undefined };

type Listening = { sandbox: Sandbox; sockets: Sockets; transactions: Map<string, Transaction> };

/**
 * Starts the SMTP server: STARTTLS (RFC 3207) with a certificate made now, AUTH (RFC 4954) that accepts every
 * name and password without the word `invalid`, SIZE. It delivers nothing; every mail is recorded.
 */
export async function startMailServer(
	sandbox: Sandbox,
	{ port, host }: { port: number; host: string },
): Promise<MailServer> {
	const { key, cert } = await makeCertificate(new Date());
	const transactions = new Map<string, Transaction>();
	const listening: Listening = { sandbox, transactions, sockets: { reset: () => {}, closeAll: () => {} } };
	const server = new SMTPServer({
		key,
		cert,
		name: "sandbox",
		banner: "Sandbox of message providers",
		size: mailBytesMax,
		rejectOversized: true,
		authOptional: true,
		allowInsecureAuth: true,
		hideENHANCEDSTATUSCODES: false,
		disableReverseLookup: true,
		maxClients: clientsMax,
		socketTimeout: 600_000,
		closeTimeout: 500,
		logger: false,
		onConnect: (_session, callback) => callback(refusalAt(listening, "CONNECT")),
		onAuth: ({ username = "", password }, _session, callback) => {
			const refusal = refusalAt(listening, "AUTH");
			if (refusal !== null) return callback(refusal);
			if (`${username} ${password ?? ""}`.includes("invalid"))
				return callback(refuse({ code: 535, text: "Authentication credentials invalid" }));
			callback(null, { user: username });
		},
		onMailFrom: (_from, session, callback) => void answer(callback, begin(listening, session)),
		onRcptTo: ({ address }, session, callback) =>
			void answer(callback, checkRecipient(listening, session, address)),
		onData: (stream, session, callback) =>
			void receive(listening, { stream, session }).then(
				(reply) => reply !== undefined && callback(null, reply),
				(error) => callback(error),
			),
		onClose: ({ id }) => void transactions.delete(id),
	});
	listening.sockets = followSockets(server.server);
	// A client that leaves or cannot agree on TLS does not cause an error of the sandbox.
	server.on("error", () => {});
	server.listen(port, host);
	await once(server.server, "listening");
	return {
		port: (server.server.address() as AddressInfo).port,
		certificate: cert,
		stop: async () => {
			const closed = new Promise<void>((resolve) => server.close(resolve));
			listening.sockets.closeAll();
			await closed;
		},
	};
}

/** Whether the client gets a reply. */
type Next = "reply" | "silence";
type Callback = (error?: Error | null) => void;

async function answer(callback: Callback, step: Promise<Next>): Promise<void> {
	try {
		if ((await step) === "reply") callback();
	} catch (error) {
		callback(error instanceof Error ? error : new Error(String(error)));
	}
}

function refuse({ code, text }: Refusal): Error {
	return Object.assign(new Error(text), { responseCode: code });
}

/** A refusal before a mail has begun: only rules that count requests can match. */
function refusalAt({ sandbox: { faults } }: Listening, command: SmtpCommand): Error | null {
	if (faults.isDown("smtp")) return refuse({ code: 421, text: "Service not available" });
	const nth = faults.next("smtp");
	const action = faults.choose({ kind: "smtp", ordinal: nth, nth });
	if (typeof action !== "object" || !("smtp" in action) || action.smtp.command !== command) return null;
	return refuse({ code: action.smtp.code, text: `${command} refused by a rule of the sandbox` });
}

async function begin(listening: Listening, session: SMTPServerSession): Promise<Next> {
	const { records, faults } = listening.sandbox;
	const transaction: Transaction = {
		ordinal: records.nextOrdinal(),
		nth: faults.count("smtp"),
		action: undefined,
	};
	listening.transactions.set(session.id, transaction);
	transaction.action = faults.choose({ kind: "smtp", ...transaction });
	return apply(listening, { session, command: "MAIL", letter: null });
}

async function checkRecipient(
	listening: Listening,
	session: SMTPServerSession,
	address: string,
): Promise<Next> {
	const transaction = transactionOf(listening, session);
	const letter = emptyLetter([address]);
	if (transaction.action === "open")
		transaction.action = listening.sandbox.faults.choose({ kind: "smtp", ...transaction, to: [address] });
	if (transaction.action === undefined) {
		const special = specialOf(address);
		if (special === "bounce") {
			record(listening, { session, letter, outcome: "refused", status: 550 });
			throw refuse({ code: 550, text: `<${address}>: Recipient address rejected: User unknown` });
		}
		if (special === "temporary") {
			record(listening, { session, letter, outcome: "refused", status: 451 });
			throw refuse({ code: 451, text: `<${address}>: Temporary failure, try again later` });
		}
	}
	return apply(listening, { session, command: "RCPT", letter });
}

/** Reads the mail and returns the text of the reply, or undefined if there must not be one. */
async function receive(
	listening: Listening,
	{ stream, session }: { stream: SMTPServerDataStream; session: SMTPServerSession },
): Promise<string | undefined> {
	const { sandbox } = listening;
	const transaction = transactionOf(listening, session);
	const to = session.envelope.rcptTo.map(({ address }) => address);
	const raw = await readAll(stream);
	if (raw === undefined) {
		record(listening, { session, letter: emptyLetter(to), outcome: "refused", status: 552 });
		return "The server answers 552.";
	}
	const letter = await readMail(raw, to);
	if (transaction.action === "open")
		transaction.action = sandbox.faults.choose({
			kind: "smtp",
			...transaction,
			to,
			text: `${letter.subject ?? ""}\n${letter.text ?? ""}`,
		});
	if ((await apply(listening, { session, command: "DATA", letter, raw })) === "silence") return undefined;
	if (transaction.action === undefined && to.some((address) => specialOf(address) === "slow"))
		await sleep(sandbox.slowMs);
	const arrival = record(listening, { session, letter, raw, outcome: "accepted", status: 250 });
	if (hasAction(transaction.action, "accept_then_reset")) {
		listening.sockets.reset(session);
		return undefined;
	}
	setImmediate(() => sandbox.records.answer([arrival.id]));
	return `OK: queued as ${arrival.providerId}`;
}

type Step = { session: SMTPServerSession; command: SmtpCommand; letter: Letter | null; raw?: Buffer };

/**
 * Applies the chosen rule at a command. Throws the refusal.
 * A rule that became known after its command applies at the next one.
 */
async function apply(listening: Listening, step: Step): Promise<Next> {
	const { action } = transactionOf(listening, step.session);
	if (typeof action !== "object") return "reply";
	const drop = () => record(listening, { ...step, outcome: "dropped", status: null });
	if ("smtp" in action) {
		const { command, code } = action.smtp;
		if (order(step.command) < order(command)) return "reply";
		record(listening, { ...step, outcome: "refused", status: code });
		throw refuse({ code, text: `${step.command} refused by a rule of the sandbox` });
	}
	if ("down" in action) {
		record(listening, { ...step, outcome: "refused", status: 421 });
		throw refuse({ code: 421, text: "Service not available" });
	}
	if ("reset" in action) {
		drop();
		listening.sockets.reset(step.session);
		return "silence";
	}
	if (step.command !== "DATA") return "reply";
	if ("hang" in action) {
		drop();
		return "silence";
	}
	if ("delay" in action) await sleep(action.delay.ms);
	return "reply";
}

const order = (command: SmtpCommand) => ["CONNECT", "AUTH", "MAIL", "RCPT", "DATA"].indexOf(command);

function hasAction(action: Transaction["action"], name: string): boolean {
	return typeof action === "object" && name in action;
}

function transactionOf({ transactions }: Listening, { id }: SMTPServerSession): Transaction {
	const transaction = transactions.get(id);
	if (transaction === undefined) throw new Error("The mail has no MAIL command.");
	return transaction;
}

function record(
	listening: Listening,
	step: {
		session: SMTPServerSession;
		letter: Letter | null;
		raw?: Buffer;
		outcome: Outcome;
		status: number | null;
	},
): Arrival {
	const { records, ids, clock } = listening.sandbox;
	const { ordinal } = transactionOf(listening, step.session);
	const isRefused = step.outcome === "refused";
	return records.add({
		ordinal,
		at: clock.now().toISOString(),
		kind: "smtp",
		outcome: step.outcome,
		status: step.status,
		code: isRefused ? String(step.status) : null,
		answered: isRefused,
		providerId: step.outcome === "accepted" ? ids.hex(ordinal, "queue", 12).toUpperCase() : null,
		account: step.session.user === undefined ? null : String(step.session.user),
		hash: step.raw === undefined ? null : createHash("sha256").update(step.raw).digest("hex"),
		letter: step.letter,
		state: step.outcome === "accepted" ? "sent" : null,
		events: [],
	});
}

function emptyLetter(to: readonly string[]): Letter {
	return {
		channel: "email",
		deliveryId: null,
		from: null,
		to,
		tenant: null,
		subject: null,
		text: null,
		html: null,
		headers: [],
		attachments: [],
		source: "",
	};
}

/** Reads the whole stream; undefined if it exceeds the limit. */
async function readAll(stream: SMTPServerDataStream): Promise<Buffer | undefined> {
	const chunks: Buffer[] = [];
	for await (const chunk of stream) if (!stream.sizeExceeded) chunks.push(chunk);
	return stream.sizeExceeded ? undefined : Buffer.concat(chunks);
}
