import type { OwnSession } from "@lango/contracts";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { askSignedIn } from "../../session/ask-signed-in.ts";

type SessionPage = { items: OwnSession[]; next_cursor: string | null };

const pageSize = 10;

/** Where the person is signed in, the latest first. */
export function sessionsQuery(authUrl: string, cursor: string | undefined) {
	return queryOptions({
		queryKey: ["sessions", authUrl, cursor],
		queryFn: async () => {
			const query = new URLSearchParams({ limit: `${pageSize}`, ...(cursor && { cursor }) });
			return (await askSignedIn(authUrl, `/api/v1/auth/sessions?${query}`)) as SessionPage;
		},
		placeholderData: keepPreviousData,
		retry: false,
	});
}

/** Signs one session out. */
export async function endSession(authUrl: string, id: string): Promise<void> {
	await askSignedIn(authUrl, `/api/v1/auth/sessions/${encodeURIComponent(id)}`, { method: "DELETE" });
}

/** Signs every other session and browser out; this one goes on. */
export async function endOtherSessions(authUrl: string): Promise<void> {
	await askSignedIn(authUrl, "/api/v1/auth/sessions", { method: "DELETE" });
}

/** Changes the password, which signs every other session out. */
export async function changePassword(
	authUrl: string,
	change: { current_password: string; new_password: string },
): Promise<void> {
	await askSignedIn(authUrl, "/api/v1/auth/password/change", { method: "POST", body: change });
}

/** Has a link sent that proves the person's address. */
export async function requestVerification(authUrl: string): Promise<void> {
	await askSignedIn(authUrl, "/api/v1/auth/email/verification-request", { method: "POST" });
}
