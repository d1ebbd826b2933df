const askedKey = "lango-console-asked";
const refusedKey = "lango-console-refused";

/** A tenant somebody was sent to the sign-on service for, and the address they wanted to open. */
type Asked = { tenant: string; path: string };

/** Notes for the answer of the sign-on service what was asked for; a refusal of before is forgotten. */
export function noteRequestedTenant(asked: Asked): void {
	use((tab) => {
		tab.setItem(askedKey, JSON.stringify(asked));
		tab.removeItem(refusedKey);
	});
}

/**
 * Notes that the sign-on service let nobody into the tenant of the address, and answers the address that was wanted; undefined when
 * this tab did not ask for it.
 */
export function noteRefusedTenant(tenant: string): string | undefined {
	return use((tab) => {
		const asked = JSON.parse(tab.getItem(askedKey) ?? "null") as Asked | null;
		tab.removeItem(askedKey);
		if (asked?.tenant !== tenant) return undefined;
		tab.setItem(refusedKey, tenant);
		return asked.path;
	});
}

/** The tenant that the sign-on service has just let nobody of this browser into: to ask again would lead in circles. */
export function findRefusedTenant(): string | undefined {
	return use((tab) => tab.getItem(refusedKey)) ?? undefined;
}

/** A browser that keeps nothing says that the sign-in was refused, and goes no further by itself. */
function use<T>(look: (tab: Storage) => T): T | undefined {
	try {
		return look(sessionStorage);
	} catch {
		return undefined;
	}
}
