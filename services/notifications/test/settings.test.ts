import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { createLetterheads } from "../src/letterheads/letterhead.ts";
import { openOffice } from "./office.ts";

const office = setUp(openOffice);

const set = (key: string, value: unknown) =>
	office.call({
		...{ method: "PUT", url: "/api/v1/uhai/notifications/config" },
		...{ token: office.token(office.uhai, "admin"), body: { key, value } },
	});
const read = async () => {
	const ignored: string[] = [];
	const { db } = office.database;
	const onInvalid = ({ key }: { key: string }) => void ignored.push(key);
	const { region, replyTo } = await createLetterheads({ db, now: () => new Date(), onInvalid }).get(
		office.uhai.id,
	);
	return { region, replyTo, ignored };
};

test("a tenant sets the country of its phone numbers and the address for replies", async () => {
	expect(await set("phone.region", "UG")).toMatchObject({ status: 200 });
	expect(await set("mail.reply_to", "Desk@UHAI.example")).toMatchObject({ status: 200 });
	expect(await read()).toEqual({ region: "UG", replyTo: "Desk@uhai.example", ignored: [] });
	for (const key of ["phone.region", "mail.reply_to"]) expect((await set(key, null)).status).toBe(200);
	expect(await read()).toEqual({ region: "KE", replyTo: undefined, ignored: [] });
	// Other settings are free: this service does not read them.
	expect((await set("constructor", "anything")).status).toBe(200);
});

test.each([
	["phone.region", "Kenya"],
	["phone.region", "XX"],
	["phone.region", 254],
	["mail.reply_to", "Uhai Desk <desk@uhai.example>"],
	["mail.reply_to", "user:0190e6a0-0000-7000-8000-000000000000"],
	["mail.reply_to", ["desk@uhai.example"]],
])(
	"the setting %s cannot be %j; a value that was stored before is ignored and reported",
	async (key, value) => {
		expect(await set(key, value)).toMatchObject({
			...{ status: 400, body: { code: "config_value_invalid", field: "value" } },
		});
		await inTenant(office.database.db, office.uhai.id, (tx) =>
			tx.query(
				`insert into service_config (tenant_id, key, value, changed_by, changed_at) values ($1, $2, $3, 'test', now())`,
				[office.uhai.id, key, JSON.stringify(value)],
			),
		);
		expect(await read()).toEqual({ region: "KE", replyTo: undefined, ignored: [key] });
		await set(key, null);
	},
);
