import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { readKeyEncryptionKeys } from "@lango/tokens";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createVault } from "../src/addresses/sealed-address.ts";
import { type Sending, sendDelivery } from "../src/dispatch/send-delivery.ts";
import type { Rendered } from "../src/rendering/rendered.ts";
import { canUnsubscribe, categories } from "../src/template.ts";
import { readUnsubscribeToken, signUnsubscribeToken } from "../src/unsubscribe/unsubscribe-link.ts";
import { claimFrom, sendingIn } from "./dispatch.ts";
import { encryptionKeys, greeting, openOffice } from "./office.ts";

const office = setUp(() => openOffice());
const vault = createVault(readKeyEncryptionKeys(encryptionKeys));
const contact = {
	template: "cafe/cafe_contact_form",
	data: { name: "A", email: "a@a.example", message: "Hi", submitted_at: "2026-01-01T00:00:00Z" },
};

/** The mail that a provider is given for a message to an address. */
async function mailTo(to: string, more: Record<string, unknown> = {}, tenant = office.tenant({})) {
	await office.send(tenant, greeting([to], more));
	const lane = { tenantId: tenant.id, channel: "email", messageClass: "normal" } as const;
	const [claimed] = await claimFrom(office, lane);
	if (claimed === undefined) throw new Error("nothing was claimed");
	const sent: Rendered[] = [];
	const unsubscribeUrl: Sending["unsubscribeUrl"] = (of) =>
		`https://lango.example/public/unsubscribe?t=${signUnsubscribeToken(vault, of)}`;
	const sending = sendingIn(office, { sent, unsubscribeUrl });
	await sendDelivery(sending, lane, claimed);
	const [mail] = sent;
	if (mail?.channel !== "email") throw new Error("no mail was sent");
	return { mail, tenant, path: mail.unsubscribeUrl?.replace("https://lango.example", "") ?? "" };
}
const press = (url: string) =>
	office.app.inject({
		...{ method: "POST", url, payload: "List-Unsubscribe=One-Click" },
		headers: { "content-type": "application/x-www-form-urlencoded" },
	});
const suppressions = (tenant: typeof office.uhai) =>
	inTenant(office.database.db, tenant.id, (tx) =>
		tx.query("select channel, category, reason, address_masked from suppressions"),
	);

test("a mail has a link to unsubscribe if its category allows that, and the link shows no address", async () => {
	const { mail, path } = await mailTo("asha@uhai.example");
	expect(mail.html).toContain(path.split("?t=")[1]);
	expect(Buffer.from(path.split("?t=")[1] ?? "", "base64url").toString()).not.toContain("asha");
	expect((await mailTo("asha@uhai.example", contact)).mail.unsubscribeUrl).toBeUndefined();
});

test("opening the link changes nothing; its button stops this category for this address, however often", async () => {
	const { path, tenant } = await mailTo("asha@uhai.example");
	const page = await office.app.inject({ url: path });
	expect([page.statusCode, page.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
	expect(page.body).toContain('<form method="post">');
	expect(page.headers["content-security-policy"]).toContain("default-src 'none'");
	expect(await suppressions(tenant)).toEqual([]);
	const answers = await Promise.all([press(path), press(path), press(path)]);
	expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
	expect(await suppressions(tenant)).toEqual([
		...[{ channel: "email", category: "general", reason: "unsubscribe", address_masked: "a…a@uhai.example" }],
	]);
	const statusOf = async (more: object) => {
		const { body } = await office.send(tenant, greeting(["asha@uhai.example"], { ...more, locale: "en" }));
		const url = `/api/v1/${tenant.slug}/notifications/messages/${body.requestId}/deliveries`;
		return (await office.call({ url, token: office.token(tenant, "admin") })).body.items[0]?.status;
	};
	expect([await statusOf({}), await statusOf(contact)]).toEqual(["suppressed", "queued"]);
});

test("the page is in the language of the mail", async () => {
	const { path } = await mailTo("asha@uhai.example", { locale: "sw" });
	expect((await office.app.inject({ url: path })).body).toContain('<html lang="sw">');
});

test("a link of a tenant whose id was corrected since is of the tenant with its slug", async () => {
	const { tenant } = await mailTo("asha@uhai.example");
	const of = { category: "general", keyId: "test", addressKey: Buffer.alloc(32), locale: "en" } as const;
	const { slug } = tenant;
	const t = signUnsubscribeToken(vault, { ...of, tenantId: randomUUID(), slug });
	expect((await press(`/public/unsubscribe?t=${t}`)).statusCode).toBe(200);
	expect(await suppressions(tenant)).toMatchObject([{ category: "general", reason: "unsubscribe" }]);
});

test("a link that was changed, or is of a category that is always sent, is 400", async () => {
	const { path, tenant } = await mailTo("asha@uhai.example");
	const of = { tenantId: tenant.id, slug: "gone", keyId: "test", addressKey: Buffer.alloc(32), locale: "en" };
	const security = signUnsubscribeToken(vault, { ...of, category: "security" });
	const foreign = signUnsubscribeToken(vault, { ...of, category: "general", tenantId: randomUUID() });
	for (const t of [`${path.split("?t=")[1]}A`, "a.b", "", security, foreign]) {
		const answer = await press(`/public/unsubscribe?t=${t}`);
		expect([answer.statusCode, answer.json()]).toMatchObject([400, { code: "link_invalid", field: "t" }]);
	}
	expect(await suppressions(tenant)).toEqual([]);
});

test("a token is read as it was signed, and no other text is a token", () => {
	const subject = fc.record({
		...{ tenantId: fc.uuid(), category: fc.constantFrom(...categories.filter(canUnsubscribe)) },
		...{
			slug: fc.constantFrom("uhai", "kahawa-2"),
			keyId: fc.constant("test"),
			locale: fc.constantFrom("en", "sw"),
		},
		addressKey: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes)),
	});
	fc.assert(
		fc.property(subject, fc.string(), (one, text) => {
			const token = signUnsubscribeToken(vault, one);
			expect(readUnsubscribeToken(vault, token)).toEqual(one);
			expect(readUnsubscribeToken(vault, `${text}${token}${text}`)).toEqual(text === "" ? one : undefined);
		}),
	);
});
