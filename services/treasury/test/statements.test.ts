import { buildService } from "@lango/chassis";
import { type PublicTenant, tenantDeleted } from "@lango/contracts";
import { inProcessTransport } from "@lango/events";
import { acrossTenants, inTenant } from "@lango/postgres";
import { countTenantRows, openStand, testEvent } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { beforeAll, describe, expect, test } from "vitest";
import { postJournals } from "../src/ledger/ledger.store.ts";
import {
	collectByCard,
	collectByPlatformShortcode,
	collectByTenantShortcode,
} from "../src/ledger/postings/collecting.ts";
import { closeLedgerDays, sealJournals } from "../src/ledger/seal-journals.ts";
import { treasury } from "../src/service.ts";
import { openStatement, requireShort } from "../src/statements/read-statement.ts";
import { journalOf, movePostedAt } from "./ledger/book.ts";

const transport = inProcessTransport();
const environment = { TREASURY_KEY_ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}` };
const stand = setUp(() =>
	openStand({
		service: treasury,
		build: (service, options) => buildService(service, { ...options, transport, jobs: "by hand" }),
		environment,
	}),
);

const byCard = (amountMinor: bigint) =>
	collectByCard({
		...{ payee: "tenant", amountMinor, allocatedMinor: amountMinor, currency: "KES" },
		...{ feeMinor: amountMinor / 100n, channel: "card" },
	});
const get = (path: string, { tenant = stand.tenants.uhai, role = "admin" } = {}) =>
	stand.call({
		method: "GET",
		url: `/api/v1/${tenant.slug}/treasury/${path}`,
		token: stand.token(tenant, role),
	});
const asOwner = (path: string) =>
	stand.call({
		method: "GET",
		url: `/api/v1/platform/${path}`,
		token: stand.token(stand.tenants.lango, "superuser"),
	});
const post = (tenant: PublicTenant, ...all: ReadonlyArray<Parameters<typeof journalOf>[0]>) =>
	inTenant(stand.database.db, tenant.id, (tx) =>
		postJournals(
			tx,
			tenant.id,
			all.map((one) => journalOf(one)),
		),
	);

type Lines = Array<{ kind: string; amount_minor: number; balance_minor: number; account: string }>;
const linesOf = ({ body }: { body: Record<string, unknown> }) =>
	(body.items as Lines).map(({ kind, amount_minor, balance_minor }) => [kind, amount_minor, balance_minor]);

/**
 * Two card payments of uhai, one three days ago and one today, and money on its shortcode; kahawa has
 * another payment.
 */
beforeAll(async () => {
	const { uhai, kahawa } = stand.tenants;
	for (const tenant of [uhai, kahawa]) await get("auth/me", { tenant });
	await post(uhai, byCard(100_000n));
	await movePostedAt(stand.database, "3 days");
	await post(uhai, byCard(40_000n));
	await post(
		uhai,
		collectByTenantShortcode({
			shortcode: "600100",
			amountMinor: 900n,
			allocatedMinor: 700n,
			currency: "KES",
		}),
	);
	await post(
		kahawa,
		byCard(7_000n),
		collectByPlatformShortcode({ shortcode: "174379", amountMinor: 5n, currency: "KES" }),
	);
});

describe("balances", () => {
	test("are what the platform has for the tenant, what its shortcodes received, and what it paid to the platform", async () => {
		expect((await get("balances")).body).toEqual({
			currency: "KES",
			platform_custody: {
				...{ pending: 140_000, available: 0, reserved: 0, refunding: 0, disputed: 0 },
				...{ fees_due: 1_400, debt: 0 },
			},
			tenant_custody: [
				{
					...{ shortcode: "600100", mirror_minor: 900, suspense_minor: 200 },
					...{ confirmed_minor: null, confirmed_at: null },
				},
			],
			unapplied_minor: 0,
		});
		expect((await get("balances", { tenant: stand.tenants.kahawa })).body).toMatchObject({
			platform_custody: { pending: 7_000 },
			...{ tenant_custody: [], unapplied_minor: 5 },
		});
	});

	test("are 0 in another currency", async () => {
		expect((await get("balances?currency=USD")).body).toMatchObject({
			currency: "USD",
			platform_custody: { pending: 0, fees_due: 0 },
			tenant_custody: [],
		});
	});
});

describe("a statement", () => {
	test("has every posting of the tenant, the oldest first, fees as lines of their own, and the balance after each", async () => {
		const statement = await get("statement");
		expect(statement.body).toMatchObject({
			...{ currency: "KES", account: "platform_custody", opening_minor: 0, next_cursor: null },
		});
		expect(linesOf(statement)).toEqual([
			["fee", -1_000, -1_000],
			["amount", 100_000, 99_000],
			["fee", -400, 98_600],
			["amount", 40_000, 138_600],
		]);
	});

	test("is the same in pages of any size", async () => {
		const whole = linesOf(await get("statement"));
		for (const limit of [1, 3]) {
			const found: unknown[] = [];
			for (let cursor: unknown = ""; cursor !== null; ) {
				const page = await get(`statement?limit=${limit}${cursor === "" ? "" : `&cursor=${cursor}`}`);
				found.push(...linesOf(page));
				cursor = page.body.next_cursor;
			}
			expect(found).toEqual(whole);
		}
	});

	test.each([
		[
			"pending",
			[
				["amount", 100_000, 100_000],
				["amount", 40_000, 140_000],
			],
		],
		[
			"fees_due",
			[
				["fee", -1_000, -1_000],
				["fee", -400, -1_400],
			],
		],
		[
			"tenant_custody",
			[
				["amount", 700, 700],
				["amount", 200, 900],
			],
		],
		["unapplied", []],
	])("of %s has the postings of its accounts only", async (account, lines) => {
		expect(linesOf(await get(`statement?account=${account}`))).toEqual(lines);
	});

	test("of later days opens with the balance of the days before, whether they are closed or not", async () => {
		const today = new Date().toISOString().slice(0, 10);
		const opened = async () => {
			const statement = await get(`statement?from=${today}`);
			return { opening: statement.body.opening_minor, lines: linesOf(statement) };
		};
		const expected = {
			opening: 99_000,
			lines: [
				["fee", -400, 98_600],
				["amount", 40_000, 138_600],
			],
		};
		expect(await opened()).toEqual(expected);
		const closedDays = async () => {
			await post(stand.tenants.kahawa, byCard(100n));
			await sealJournals(stand.database.db);
			await closeLedgerDays(stand.database.db);
			return acrossTenants(stand.database.db, (tx) =>
				tx.query("select distinct closing_minor from ledger_days"),
			);
		};
		await expect.poll(closedDays).toContainEqual({ closing_minor: 100_000n });
		expect(await opened()).toEqual(expected);
	});

	test.each([
		["from=2027-03-02&to=2027-03-01", "invalid_input", { field: "from" }],
		["from=2026-01-01&to=2027-02-05", "range_too_long", { field: "from", days_max: 400 }],
		["from=2027-02-30", "invalid_input", { field: "from" }],
		["from=0000-01-01&to=0000-02-01", "invalid_input", { field: "from" }],
		["account=savings", "invalid_input", { field: "account" }],
		["currency=kes", "invalid_input", { field: "currency" }],
		["cursor=x", "invalid_input", { field: "cursor" }],
	])("with %s is refused as %s", async (query, code, fields) => {
		expect(await get(`statement?${query}`)).toMatchObject({ status: 400, body: { code, ...fields } });
	});

	test("of 400 days is given", async () => {
		expect((await get("statement?from=2026-01-01&to=2027-02-04")).status).toBe(200);
	});

	test("as PDF is refused if it has too many lines", async () => {
		const { db } = stand.database;
		const wanted = {
			tenantId: stand.tenants.uhai.id,
			of: "platform_custody",
			currency: undefined,
			now: new Date(),
		} as const;
		const statement = await openStatement(db, wanted);
		await expect(requireShort(db, statement, 3)).rejects.toMatchObject({
			code: "range_too_long",
			fields: { lines_max: 3 },
		});
		await expect(requireShort(db, statement, 4)).resolves.toBeUndefined();
	});

	test.each([
		["sw-KE, en;q=0.5", "/Lang (sw)"],
		["fr", "/Lang (en)"],
	])(
		"as PDF is in the language that the request prefers (%s), else in that of its tenant",
		async (wanted, says) => {
			const { body } = await stand.built.app.inject({
				method: "GET",
				url: "/api/v1/uhai/treasury/statement.pdf",
				headers: {
					authorization: `Bearer ${stand.token(stand.tenants.uhai, "admin")}`,
					"accept-language": wanted,
				},
			});
			expect(body).toContain(says);
		},
	);

	test.each([
		["csv", "text/csv; charset=utf-8; header=present", /^posted_at,.*,1386\.00,KES\r\n$/s],
		["pdf", "application/pdf", /^%PDF-/],
	])("as %s is a file with the name of its tenant and days", async (ending, type, content) => {
		const { statusCode, headers, body } = await stand.built.app.inject({
			method: "GET",
			url: `/api/v1/uhai/treasury/statement.${ending}?from=2026-11-01&to=2026-12-31`,
			headers: { authorization: `Bearer ${stand.token(stand.tenants.uhai, "admin")}` },
		});
		expect([statusCode, headers["content-type"]]).toEqual([200, type]);
		expect(headers["content-disposition"]).toBe(
			`attachment; filename="statement-uhai-2026-11-01-2026-12-31.${ending}"`,
		);
		expect(body).toMatch(content);
	});
});

describe("the platform owner", () => {
	test("lists the accounts of the platform, or of a tenant, with their balances, in pages", async () => {
		const { body } = await asOwner("accounts?limit=100");
		const codes = (body.items as Array<{ code: string; tenant_id: unknown }>).map(({ code }) => code);
		expect(codes.toSorted()).toEqual([
			"card.unsettled",
			"fee_recovery",
			"gateway_fee.card",
			"mm.float.174379",
		]);
		const found: unknown[] = [];
		for (let cursor: unknown = ""; cursor !== null; ) {
			const page = await asOwner(
				`accounts?tenant_id=${stand.tenants.uhai.id}&limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`,
			);
			found.push(
				...(page.body.items as Array<{ code: string; balance_minor: number }>).map((one) => [
					one.code,
					one.balance_minor,
				]),
			);
			cursor = page.body.next_cursor;
		}
		expect(Object.fromEntries(found as Array<[string, number]>)).toEqual({
			...{ "tenant.pending": 140_000, "tenant.fees_due": 1_400 },
			...{ "mm.float.600100": 900, "tenant.mobile": 700, "suspense.600100": 200 },
		});
	});

	test("lists the postings of an account, the newest first, in pages", async () => {
		const { body } = await asOwner(`accounts?tenant_id=${stand.tenants.uhai.id}`);
		const pending = (body.items as Array<{ id: string; code: string }>).find(
			({ code }) => code === "tenant.pending",
		);
		const first = await asOwner(`accounts/${pending?.id}/postings?limit=1`);
		const second = await asOwner(`accounts/${pending?.id}/postings?limit=1&cursor=${first.body.next_cursor}`);
		expect([first, second].flatMap((page) => page.body.items)).toMatchObject([
			{ side: "credit", amount_minor: 40_000, purpose: "collection", tenant_id: stand.tenants.uhai.id },
			{ side: "credit", amount_minor: 100_000 },
		]);
		expect(second.body.next_cursor).toBeNull();
	});

	test("gets 404 for an account that does not exist", async () => {
		expect(await asOwner(`accounts/${crypto.randomUUID()}/postings`)).toMatchObject({
			status: 404,
			body: { code: "account_not_found" },
		});
	});
});

test("the ledger of a deleted tenant is kept, and its other rows are erased", async () => {
	const { id, slug } = stand.tenants.kahawa;
	const before = await countTenantRows(stand.database.db, id);
	const data = { tenant_id: id, slug, version: 9 };
	await transport.publish(testEvent(tenantDeleted, { subject: id, tenant: { id }, data }));
	const left = async () => {
		const counts = await countTenantRows(stand.database.db, id);
		return Object.fromEntries(
			Object.entries(counts).filter(([name, many]) => many > 0 && name !== "audit_log"),
		);
	};
	const { ledger_accounts, journals, postings } = before;
	await expect.poll(left).toEqual({ ledger_accounts, journals, postings });
});
