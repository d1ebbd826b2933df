import {
	createContext,
	createElement,
	type ReactNode,
	useContext,
	useEffect,
	useSyncExternalStore,
} from "react";
import type { Client } from "../client.ts";
import { decidePage, mayDo, type PageRequirements, type Verdict } from "../decide-page.ts";
import type { Profile } from "../profile/profile.ts";
import type { ClientState } from "../session/client-state.ts";
import { watchPage } from "../watch-page.ts";

const ClientContext = createContext<Client | undefined>(undefined);

/** Provides the client to its children. Reloads stale data when the person returns to the page. */
export function ClientProvider({ client, children }: { client: Client; children?: ReactNode }) {
	useEffect(() => watchPage(client, globalThis as unknown as EventTarget), [client]);
	return createElement(ClientContext, { value: client }, children);
}

/** The client. Throws an Error outside a ClientProvider. */
export function useClient(): Client {
	const client = useContext(ClientContext);
	if (client === undefined) throw new Error("useClient needs a ClientProvider above it");
	return client;
}

/** The state of the client. The component is rendered again when it changes. */
export function useClientState(): ClientState {
	const { subscribe, getState } = useClient();
	return useSyncExternalStore(subscribe, getState, getState);
}

/** The profile; undefined until it is loaded. */
export function useProfile(): Profile | undefined {
	const state = useClientState();
	return state.status === "ready" || state.status === "pending" ? state.profile : undefined;
}

/** Whether the person has the permission. False until the profile is loaded. */
export function useMayDo(permission: string): boolean {
	const profile = useProfile();
	return profile !== undefined && mayDo(profile, permission);
}

/** Whether the page is shown; see decidePage. Reloads stale data when the address of the page changes. */
export function useVerdict(page: PageRequirements): Verdict {
	const client = useClient();
	const address = (globalThis as { location?: { pathname: string } }).location?.pathname;
	// biome-ignore lint/correctness/useExhaustiveDependencies: the effect runs when the address changes
	useEffect(() => client.reloadIfStale(), [client, address]);
	return decidePage(useClientState(), page);
}
