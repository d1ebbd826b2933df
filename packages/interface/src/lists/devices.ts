import type { OwnSession } from "@lango/contracts";

/** A browser in which a person is signed in, or a program with a session of its own. */
export type Device = {
	/** The session by which the device is signed out. */
	sessionId: string;
	/** Whether signing it out ends a browser session with all its applications. */
	isBrowser: boolean;
	/** Browser and system; undefined if they are not known. */
	name: string | undefined;
	/** Where its address was at the sign-in; undefined if it is not known. */
	place: { country: string; city: string | null } | undefined;
	isThis: boolean;
	signedInAt: string;
	lastUsedAt: string;
	/** The applications with the organisations in which they are used, each once. */
	uses: { application: string; tenant: string }[];
};

/** Groups a person's sessions by device: this one first, then the one that was used last. */
export function devicesOf(sessions: readonly OwnSession[]): Device[] {
	const groups = Map.groupBy(sessions, ({ browser_session_id, id }) => browser_session_id ?? id);
	const devices = [...groups.values()].flatMap((group) => {
		const [first] = group;
		return first === undefined ? [] : [deviceOf(first, group)];
	});
	return devices.toSorted(
		(one, other) =>
			Number(other.isThis) - Number(one.isThis) || other.lastUsedAt.localeCompare(one.lastUsedAt),
	);
}

function deviceOf(first: OwnSession, group: readonly OwnSession[]): Device {
	const uses = group.map(({ client_name, tenant_slug }) => ({
		application: client_name,
		tenant: tenant_slug,
	}));
	const inOrder = (times: string[]) => times.toSorted();
	return {
		sessionId: first.id,
		isBrowser: first.browser_session_id !== null,
		name: first.device === null || first.device === "unknown" ? undefined : first.device,
		place: first.place ?? undefined,
		isThis: group.some(({ is_this_device }) => is_this_device),
		signedInAt: inOrder(group.map(({ signed_in_at }) => signed_in_at))[0] ?? "",
		lastUsedAt: inOrder(group.map(({ last_used_at }) => last_used_at)).at(-1) ?? "",
		uses: [...new Map(uses.map((use) => [`${use.application} ${use.tenant}`, use])).values()],
	};
}
