import { type ProviderChange, saveProvider } from "../src/accounts/provider.store.ts";
import type { Office } from "./office.ts";

/** Adds a provider of the platform. Returns its id. */
export async function addPlatformProvider(
	office: Office,
	change: ProviderChange,
	now = new Date(),
): Promise<string> {
	const id = await saveProvider(office.database.db, {
		...{ tenantId: undefined, now },
		change: { isEnabled: true, createdBy: "test", ...change },
	});
	if (id === undefined) throw new Error("the provider was not saved");
	return id;
}
