import { createTransport } from "nodemailer";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type MessagesSandbox, startMessagesSandbox } from "../src/index.ts";
import { call } from "./call.ts";

let sandbox: MessagesSandbox;

beforeAll(async () => {
	sandbox = await startMessagesSandbox({ port: 0, smtpPort: 0 });
});
afterAll(() => sandbox.stop());

const deliveryId = "0197a1b2-0000-7000-8000-000000000001";
const mail = {
	from: { name: "Kahawa Café", address: "no-reply@lango.example" },
	to: "amina@kahawa.example",
	subject: "Thibitisha ☕",
	text: "Fungua https://accounts.example/verify?token=abc.",
	html: '<p>Fungua <a href="https://accounts.example/verify?token=abc&amp;x=1">hapa</a></p>',
	messageId: `<${deliveryId}@lango.example>`,
};

test("a mail over STARTTLS with a password is in the list, with its contents, headers, links and source", async () => {
	const transport = createTransport({
		host: "127.0.0.1",
		port: sandbox.smtpPort,
		requireTLS: true,
		tls: { ca: sandbox.certificate, servername: "localhost" },
		auth: { user: "lango", pass: "any" },
	});
	const { response } = await transport.sendMail(mail);
	expect(response).toMatch(/^250 2\.6\.0 OK: queued as [0-9A-F]{12}$/);

	const list = await call(sandbox, "GET /api/messages?to=Amina@kahawa.example&channel=email");
	expect(list).toMatchObject({
		items: [
			{
				subject: mail.subject,
				to: [mail.to],
				tenant: "Kahawa Café",
				delivery_id: deliveryId,
				outcome: "accepted",
			},
		],
		next_cursor: null,
	});
	const message = await call(sandbox, `GET /api/messages/${list.items[0].id}`);
	expect(message).toMatchObject({
		text: expect.stringContaining("Fungua"),
		html: expect.stringContaining(mail.html),
		links: ["https://accounts.example/verify?token=abc&x=1", "https://accounts.example/verify?token=abc"],
		account: "lango",
		source: expect.stringContaining("MIME-Version: 1.0"),
	});
	expect(message.headers).toContainEqual(["Message-ID", mail.messageId]);
});
