import { openPool } from "@lango/postgres";
import { besideOthers } from "@lango/testkit";
import { expect, test } from "vitest";
import { purgeLinks } from "../src/links/purge-links.ts";
import { openOffice } from "./office.ts";
import { setUpSignOn } from "./sign-on.ts";

const signOn = setUpSignOn();
const office = openOffice(signOn);

test("a purge of links skips locked rows and removes them in a later run", async () => {
	await signOn.db.query("delete from one_time_links");
	for (let made = 0; made < 2; made += 1) await office.found();
	signOn.now.forward(5 * 86_400);
	const count = async () => (await signOn.db.query("select from one_time_links")).length;
	expect(await count()).toBe(2);
	const owner = openPool({ url: signOn.ownerUrl, name: "locked-links-test", sizeMax: 1 });
	try {
		await owner.transaction(
			besideOthers(async (tx) => {
				await tx.query("select from one_time_links limit 1 for update");
				await purgeLinks(signOn.db, signOn.now.at);
				expect(await count()).toBe(1);
			}),
		);
	} finally {
		await owner.close();
	}
	await purgeLinks(signOn.db, signOn.now.at);
	expect(await count()).toBe(0);
});
