import { buildService } from "@lango/chassis";
import { inProcessTransport } from "@lango/events";
import { openPool } from "@lango/postgres";
import { createTestDatabase, testServiceKeys } from "@lango/testkit";
import { expect, test } from "vitest";
import { prefixOf } from "../../tools/up/parts.ts";
import { parts } from "../../tools/up.ts";

/** With a pool in transaction mode before the database, connections that need a session bypass it. */
const cases = [
	{ name: "auth", expected: ["lango-auth-jobs", "lango-auth-listen"] },
	{ name: "subscriptions", expected: ["lango-subscriptions-jobs", "lango-subscriptions-listen"] },
	{ name: "hospital", expected: ["lango-hospital-listen"] },
];

test.each(cases)(
	"$name listens and does its jobs at its direct address, and nothing else",
	async ({ name, expected }) => {
		const service = parts.services.find((part) => part.service.name === name)?.service;
		if (service === undefined) throw new Error(`there is no service ${name}`);
		const database = await createTestDatabase({ name, sets: service.migrations });
		// The two addresses are of different roles, so that the server sees which address a connection used.
		const owner = openPool({ url: database.ownerUrl, name: "test", sizeMax: 1 });
		const built = await buildService(service, {
			transport: inProcessTransport(),
			environment: {
				[`${prefixOf(name)}_DATABASE_URL`]: database.url,
				[`${prefixOf(name)}_DIRECT_DATABASE_URL`]: database.ownerUrl,
				...testServiceKeys(name),
				POS_KEY_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 7).toString("base64")}`,
				LANGO_KEY_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 7).toString("base64")}`,
				LOG_LEVEL: "silent",
			},
		});
		try {
			const cameDirectly = async () => {
				const rows = await owner.query<{ name: string }>(
					`select distinct application_name as name from pg_stat_activity
				  where usename = current_user and datname = current_database() and application_name <> 'lango-test'`,
				);
				return rows.map((row) => row.name).toSorted();
			};
			await expect.poll(cameDirectly).toEqual(expected);
		} finally {
			await built.close();
			await owner.close();
			await database.drop();
		}
	},
);
