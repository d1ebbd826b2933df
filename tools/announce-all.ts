/**
 * `node tools/announce-all.ts`: makes the sign-on service publish every tenant, outlet and person again, with
 * higher versions. Run it once after the sign-on service's database was restored from a backup that is older
 * than the other services' databases. Uses the database of `AUTH_DATABASE_URL`, otherwise that of `npm
 * start`. The service can be running or stopped.
 */
import { announceAll } from "../services/auth/src/service.ts";
import { onServiceDatabase } from "./up/service-database.ts";

await onServiceDatabase("auth", async (db) => {
	const { tenants, outlets, users } = await announceAll(db, { now: () => new Date() });
	console.log(
		`auth announces ${tenants} tenants, ${outlets} outlets and ${users} people as soon as it runs.`,
	);
});
