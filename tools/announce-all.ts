/**
 * `node tools/announce-all.ts`: has the sign-on service announce every tenant, outlet and person again, with higher versions than
 * before. Run it once after the sign-on's database was restored from a backup that is older than the databases of the other services.
 * The database is the one of `AUTH_DATABASE_URL`, else that of `npm start`; the service may run or not.
 */
import { announceAll } from "../services/auth/src/service.ts";
import { onServiceDatabase } from "./up/service-database.ts";

await onServiceDatabase("auth", async (db) => {
	const { tenants, outlets, users } = await announceAll(db, { now: () => new Date() });
	console.log(
		`auth announces ${tenants} tenants, ${outlets} outlets and ${users} people as soon as it runs.`,
	);
});
