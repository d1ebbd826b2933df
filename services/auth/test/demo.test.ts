import { expect, test } from "vitest";
import { seedDemo } from "../src/service.ts";
import { openOffice } from "./office.ts";
import { setUpSignOn } from "./sign-on.ts";

const signOn = setUpSignOn();
const office = openOffice(signOn);

const counted = async () => {
	const [row] = await signOn.db.query<{ text: string }>(
		"select concat_ws(' ', (select count(*) from tenants), (select count(*) from users), (select count(*) from outbox)) as text",
	);
	return row?.text;
};

test("the demo tenants and their outlets are announced, and making them again changes nothing", async () => {
	const created = (await office.events("tenant.created")).map(({ data }) => data.slug);
	expect(created.toSorted()).toEqual(["duka", "kahawa", "lango", "uhai"]);
	const outlets = (await office.events("outlet.changed")).map(({ data }) => data.code);
	expect(outlets.toSorted()).toEqual(["HQ", "MAIN", "MAIN", "PHARM", "WARD"]);
	const before = await counted();
	await seedDemo(signOn.db, signOn.now.at);
	expect(await counted()).toBe(before);
});

test("a demo tenant that was renamed or erased is not made again", async () => {
	const token = await office.tokenOf("root@lango.example");
	const admin = `/api/v1/admin/tenants/${signOn.tenants.get("kahawa")}`;
	await office.call("PATCH", admin, { token, body: { slug: "kahawa-two" } });
	await office.call("DELETE", `/api/v1/admin/tenants/${signOn.tenants.get("duka")}`, { token });
	const before = await counted();
	const tenants = await seedDemo(signOn.db, signOn.now.at);
	expect(await counted()).toBe(before);
	expect(tenants.map(({ slug }) => slug)).toEqual(["lango", "uhai"]);
});
