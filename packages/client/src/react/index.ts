import {
	createContext,
	createElement,
	type ReactNode,
	useContext,
	useEffect,
	useSyncExternalStore,
} from "react";
import type { Client } from "../client.ts";
import { decidePage, mayDo, type Place, type Verdict } from "../decide-page.ts";
import type { Profile } from "../profile/profile.ts";
import type { ClientState } from "../session/client-state.ts";
import { watchPage } from "../watch-page.ts";

const ClientContext = createContext<Client | undefined>(undefined);

/** Gives the pages below it the client, which looks again when somebody comes back to the page. */
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

/** Where the person is; the component is drawn again when that changes. */
export function useClientState(): ClientState {
	const { subscribe, getState } = useClient();
	return useSyncExternalStore(subscribe, getState, getState);
}

/** Who the person is; undefined until they are in. */
export function useProfile(): Profile | undefined {
	const state = useClientState();
	return state.status === "ready" || state.status === "pending" ? state.profile : undefined;
}

/** Does the person hold the permission? False until they are in. */
export function useMayDo(permission: string): boolean {
	const profile = useProfile();
	return profile !== undefined && mayDo(profile, permission);
}

/** May this page be shown, or where to instead? Another address of these pages is a reason to look whether that is still so. */
export function useVerdict(place: Place): Verdict {
	const client = useClient();
	const address = (globalThis as { location?: { pathname: string } }).location?.pathname;
	// biome-ignore lint/correctness/useExhaustiveDependencies: the address is what it is done for
	useEffect(() => client.lookAgain(), [client, address]);
	return decidePage(useClientState(), place);
}
