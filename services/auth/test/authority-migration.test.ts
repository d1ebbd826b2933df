import { acrossTenants, migrate, openPool } from "@lango/postgres";
import { createTestDatabase, migrateBefore } from "@lango/testkit";
import { expect, test } from "vitest";
import { auth } from "../src/service.ts";

test("clients that exist before the upgrade become first-party, with an audit row each; later ones do not", async () => {
	const database = await createTestDatabase({ name: "auth", sets: [] });
	const owner = openPool({ url: database.ownerUrl, name: "authority-migration", sizeMax: 1 });
	const insert = (clientId: string) =>
		owner.query(
			"insert into clients (client_id, name, redirect_uris, scopes, public) values ($1, 'App', '{https://a.example/cb}', '{openid}', true)",
			[clientId],
		);
	try {
		const before = { set: "auth", file: "0013_authority_of_clients.sql" };
		await migrateBefore(database.ownerUrl, auth.migrations, before);
		for (const clientId of ["earlier", "early"]) await insert(clientId);
		await migrate(database.ownerUrl, auth.migrations);
		await insert("later");
		expect(
			await owner.query("select client_id, first_party, id_token_at_refresh from clients order by client_id"),
		).toEqual([
			{ client_id: "earlier", first_party: true, id_token_at_refresh: true },
			{ client_id: "early", first_party: true, id_token_at_refresh: true },
			{ client_id: "later", first_party: false, id_token_at_refresh: true },
		]);
		const rows = await acrossTenants(database.db, (tx) =>
			tx.query(
				"select action, subject, after, actor_user_id from audit_log where tenant_id is null order by subject",
			),
		);
		const row = { action: "client.changed", after: { first_party: true }, actor_user_id: null };
		expect(rows).toEqual(["earlier", "early"].map((subject) => ({ ...row, subject })));
	} finally {
		await owner.close();
		await database.drop();
	}
});
