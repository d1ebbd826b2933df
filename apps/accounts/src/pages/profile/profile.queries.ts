import type { OwnSession } from "@lango/contracts";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { requestSignedIn } from "../../session/request-signed-in.ts";

type SessionPage = { items: OwnSession[]; next_cursor: string | null };

export const pageSize = 10;

/** The person's sessions, the latest first. */
export function sessionsQuery(authUrl: string, cursor: string | undefined) {
	return queryOptions({
		queryKey: ["sessions", authUrl, cursor],
		queryFn: async () => {
			const query = new URLSearchParams({ limit: `${pageSize}`, ...(cursor && { cursor }) });
			return (await requestSignedIn(authUrl, `/api/v1/auth/sessions?${query}`)) as SessionPage;
		},
		placeholderData: keepPreviousData,
		retry: false,
	});
}

/** Ends a session. */
export async function endSession(authUrl: string, id: string): Promise<void> {
	await requestSignedIn(authUrl, `/api/v1/auth/sessions/${encodeURIComponent(id)}`, { method: "DELETE" });
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
