import type { OwnSession } from "@lango/contracts";
import type { Device } from "@lango/interface";
import { queryOptions } from "@tanstack/react-query";
import { requestSignedIn } from "../../session/request-signed-in.ts";

type SessionPage = { items: OwnSession[] };

/** More than a person can have: the service limits the sessions of a person. */
const sessionsMax = 100;

/** The person's sessions. */
export function sessionsQuery(authUrl: string) {
	return queryOptions({
		queryKey: ["sessions", authUrl],
		queryFn: async () => {
			const path = `/api/v1/auth/sessions?limit=${sessionsMax}`;
			return ((await requestSignedIn(authUrl, path)) as SessionPage).items;
		},
		retry: false,
	});
}

/** Signs a device out. */
export async function endDevice(authUrl: string, { sessionId, isBrowser }: Device): Promise<void> {
	const path = `/api/v1/auth/sessions/${encodeURIComponent(sessionId)}${isBrowser ? "?browser=true" : ""}`;
	await requestSignedIn(authUrl, path, { method: "DELETE" });
}

/** Ends all other sessions. */
export async function endOtherSessions(authUrl: string): Promise<void> {
	await requestSignedIn(authUrl, "/api/v1/auth/sessions", { method: "DELETE" });
}

/** Changes the password, which ends all other sessions. */
export async function changePassword(
	authUrl: string,
	change: { current_password: string; new_password: string },
): Promise<void> {
	await requestSignedIn(authUrl, "/api/v1/auth/password/change", { method: "POST", body: change });
}

/** Requests a link that confirms the e-mail address. */
export async function requestVerification(authUrl: string): Promise<void> {
	await requestSignedIn(authUrl, "/api/v1/auth/email/verification-request", { method: "POST" });
}
