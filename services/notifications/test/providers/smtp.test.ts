import { createHash, generateKeyPairSync, randomUUID } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { type MessagesSandbox, startMessagesSandbox } from "@lango/sandbox-messages";
import type { Static } from "typebox";
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import type { Account } from "../../src/provider.ts";
import { smtp } from "../../src/providers/adapters/smtp.ts";
import type { RenderedEmail } from "../../src/rendering/rendered.ts";
import { control, truth } from "./sandbox.ts";

type Credentials = Static<typeof smtp.credentials>;

let sandbox: MessagesSandbox;
beforeAll(async () => {
	sandbox = await startMessagesSandbox({ port: 0, smtpPort: 0 });
});
afterAll(() => sandbox.stop());
beforeEach(() => control(sandbox, "PUT /control/faults", []));
afterEach(() => control(sandbox, "DELETE /control/truth"));

const deliveryId = "0197a1b2-0000-7000-8000-000000000001";
const mail: RenderedEmail = {
	channel: "email",
	from: { name: "Kahawa Café", address: "no-reply@lango.example" },
	to: "amina@kahawa.example",
	replyTo: "office@kahawa.example",
	subject: "Ripoti ☕",
	html: "<p>Habari</p>",
	text: "Habari",
	unsubscribeUrl: "https://lango.example/public/unsubscribe?t=abc",
};

/** An account at the sandbox, connected. */
function connected(changes: Partial<Credentials> = {}, owner: Account<Credentials>["owner"] = "platform") {
	const credentials = {
		...{ host: "127.0.0.1", port: sandbox.smtpPort, secure: false, requireTls: true },
		...{ ca: sandbox.certificate, user: "lango", password: "any" },
		...changes,
	};
	const account = { id: "smtp-1", owner, inFlightMax: 10, credentials };
	const opened = smtp.connect?.(account);
	if (opened === undefined) throw new Error("smtp keeps no connection");
	onTestFinished(() => opened.close());
	return { ...account, connection: opened.connection };
}
const send = (changes: Partial<RenderedEmail> = {}, { account = connected(), timeoutMs = 5_000 } = {}) =>
	smtp.send(
		account,
		{ ...mail, ...changes },
		{ deliveryId, tenantId: randomUUID(), signal: AbortSignal.timeout(timeoutMs) },
	);
const fault = (action: object) =>
	control(sandbox, "PUT /control/faults", [{ kind: "smtp", match: { every: 1 }, do: action }]);

test("a mail is sent encrypted, to one recipient, with our id as Message-ID and both unsubscribe headers", async () => {
	const ref = `<${deliveryId}@lango.example>`;
	expect(await send()).toEqual({ is: "accepted", ref });
	const [item] = await truth(sandbox);
	expect(item).toMatchObject({ delivery_id: deliveryId, addresses: [mail.to], subject: mail.subject });
	const { headers, account } = await control(sandbox, `GET /api/messages/${item.id}`);
	expect(account).toBe("lango");
	for (const header of [
		["Message-ID", ref],
		["List-Unsubscribe", "<https://lango.example/public/unsubscribe?t=abc>"],
		["List-Unsubscribe-Post", "List-Unsubscribe=One-Click"],
		["Auto-Submitted", "auto-generated"],
	])
		expect(headers).toContainEqual(header);
	expect(headers.map(([name]: [string]) => name)).not.toContain("X-Mailer");
});

test("a mail through an account with an address of its own comes from it, with the Message-ID of every attempt", async () => {
	const account = { ...connected(), fromAddress: "info@kahawa.example" };
	expect(await send({}, { account })).toMatchObject({ is: "accepted" });
	const [item] = await truth(sandbox);
	const { from, source } = await control(sandbox, `GET /api/messages/${item.id}`);
	expect([from, item.message_id]).toEqual([
		"Kahawa Café <info@kahawa.example>",
		`<${deliveryId}@lango.example>`,
	]);
	expect(source).not.toContain("no-reply@lango.example");
});

test("the DKIM signature covers the body and both unsubscribe headers (RFC 8058 §4)", async () => {
	const { privateKey } = generateKeyPairSync("rsa", {
		modulusLength: 2048,
		publicKeyEncoding: { type: "spki", format: "pem" },
		privateKeyEncoding: { type: "pkcs8", format: "pem" },
	});
	await send({}, { account: connected({ dkim: { domain: "lango.example", selector: "s1", privateKey } }) });
	const [item] = await truth(sandbox);
	const { source } = await control(sandbox, `GET /api/messages/${item.id}`);
	const signature = /^DKIM-Signature:(?:.|\r?\n[ \t])+/im.exec(source)?.[0].replaceAll(/\s+/g, "") ?? "";
	expect(signature).toContain("d=lango.example;");
	// Relaxed (RFC 6376 §3.4.4): white space as one space, no empty lines at the end.
	const body = source.slice(source.search(/\r?\n\r?\n/)).replace(/^(?:\r?\n){2}/, "");
	const lines = body.split(/\r?\n/).map((line: string) => line.replaceAll(/[ \t]+/g, " ").replace(/ $/, ""));
	const relaxed = `${lines.join("\r\n").replace(/(?:\r\n)*$/, "")}\r\n`;
	expect(signature).toContain(`;bh=${createHash("sha256").update(relaxed).digest("base64")};`);
	const signed = /[;]h=([^;]+)/.exec(signature)?.[1]?.toLowerCase().split(":");
	expect(signed).toEqual(
		expect.arrayContaining([
			...["from", "to", "subject", "message-id", "list-unsubscribe", "list-unsubscribe-post"],
		]),
	);
});

test.each<[string, object, object]>([
	["a mailbox without space may be retried", { smtp: { command: "RCPT", code: 452 } }, { mayRetry: true }],
	["a refused sender may not", { smtp: { command: "MAIL", code: 550 } }, { mayRetry: false }],
	["a refused text may not", { smtp: { command: "DATA", code: 554 } }, { mayRetry: false }],
	["a full queue may be retried", { smtp: { command: "DATA", code: 451 } }, { mayRetry: true }],
	["a closing server costs no attempt", { down: true }, { mayRetry: true, isUnreachable: true }],
])("%s", async (_title, action, outcome) => {
	await fault(action);
	expect(await send()).toEqual({ is: "refused", code: expect.stringMatching(/^smtp_\d{3}/), ...outcome });
});

test("a mail that is larger than the server accepts may not be retried, and its address is not bad", async () => {
	const html = `<p>${"x".repeat(11 * 1024 * 1024)}</p>`;
	expect(await send({ html }, { timeoutMs: 20_000 })).toEqual({
		...{ is: "refused", mayRetry: false, code: "smtp_552_5.3.4" },
	});
	expect(await truth(sandbox)).toMatchObject([{ outcome: "refused" }]);
}, 30_000);

test("an address is bad if the enhanced code says so", async () => {
	expect(await send({ to: "bounce@sandbox.example" })).toEqual({
		...{ is: "refused", mayRetry: false, isAddressBad: true, code: "smtp_550_5.1.1" },
	});
	expect(await send({ to: "temporary@sandbox.example" })).toMatchObject({ is: "refused", mayRetry: true });
});

test("a connection that ends after the text is an unknown outcome, one that ends before it is not", async () => {
	await fault({ accept_then_reset: true });
	expect(await send()).toMatchObject({ is: "unknown" });
	await fault({ reset: true });
	expect(await send()).toMatchObject({ is: "refused", mayRetry: true, isUnreachable: true });
});

test("a server that is silent after the text is an unknown outcome at the deadline", async () => {
	await fault({ hang: true });
	expect(await send({}, { timeoutMs: 500 })).toEqual({ is: "unknown", code: "eabort" });
});

test("a server that is silent before its greeting was not given the mail", async () => {
	const silent = createServer().listen(0, "127.0.0.1");
	await once(silent, "listening");
	onTestFinished(() => void silent.close());
	const account = connected({ port: (silent.address() as AddressInfo).port });
	expect(await send({}, { account, timeoutMs: 300 })).toEqual({
		...{ is: "refused", mayRetry: true, code: "eabort", isUnreachable: true },
	});
});

test.each<[string, Partial<Credentials>, string]>([
	["a closed port", { port: 1 }, "econnrefused"],
	["an unknown host", { host: "mail.invalid" }, "enotfound"],
	["a certificate for another name", { host: "::ffff:127.0.0.1" }, "altname"],
	["a password that the server refuses", { password: "invalid" }, "smtp_535"],
])("%s costs no attempt", async (_title, changes, code) => {
	const account = connected(changes);
	const outcome = { is: "refused", mayRetry: true, isUnreachable: true };
	expect(await send({}, { account })).toEqual({ ...outcome, code: expect.stringContaining(code) });
	expect(await smtp.check(account, { signal: AbortSignal.timeout(5_000) })).toMatchObject(outcome);
});

test("a check signs in and sends nothing", async () => {
	const signal = AbortSignal.timeout(5_000);
	expect(await smtp.check(connected(), { signal })).toEqual({ is: "accepted" });
	expect(await truth(sandbox)).toEqual([]);
});

test.each<[string, Partial<Credentials>, string]>([
	["another port", {}, "port_forbidden"],
	["no encryption", { port: 587, requireTls: false }, "tls_required"],
	["a private address", { port: 587 }, "address_forbidden"],
	["a name of a private address", { port: 465, secure: true, host: "localhost" }, "address_forbidden"],
])("a tenant's server with %s is refused", async (_title, changes, code) => {
	expect(await send({}, { account: connected(changes, "tenant") })).toMatchObject({ is: "refused", code });
});

test.each<[string, Partial<RenderedEmail>]>([
	["a second recipient", { to: "amina@kahawa.example,juma@kahawa.example" }],
	["a command in the recipient", { to: "amina@kahawa.example>\r\nRCPT TO:<juma@kahawa.example" }],
	// CVE-2025-13033: nodemailer sent to the address within the quotes.
	["a quoted address in the recipient", { to: '"juma@kahawa.example x"@lango.example' }],
	["nested brackets in the recipient", { to: `${"<".repeat(5_000)}a@kahawa.example` }],
	["a name in the recipient", { to: '"a" <amina@kahawa.example>' }],
	["a header in the subject", { subject: "Habari\r\nBcc: juma@kahawa.example" }],
	["a header in the name", { from: { name: "Café\nBcc: juma@kahawa.example", address: mail.from.address } }],
	["a header in Reply-To", { replyTo: "a@kahawa.example\r\nBcc: juma@kahawa.example" }],
	[
		"a header in the unsubscribe link",
		{ unsubscribeUrl: "https://lango.example/>\r\nBcc: j@kahawa.example" },
	],
])("%s is refused before the server is called", async (_title, changes) => {
	expect(await send(changes)).toEqual({ is: "refused", mayRetry: false, code: "message_invalid" });
	expect(await truth(sandbox)).toEqual([]);
});

test("a text that names a file stays text", async () => {
	const html = '<img src="file:///etc/passwd">';
	expect(await send({ html })).toMatchObject({ is: "accepted" });
	const [item] = await truth(sandbox);
	expect(await control(sandbox, `GET /api/messages/${item.id}`)).toMatchObject({
		html: expect.stringContaining(html),
		attachments: [],
	});
});
