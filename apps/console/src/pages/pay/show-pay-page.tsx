import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import type { Settings } from "../../settings.ts";
import { PayPage } from "./pay-page.tsx";

/** Shows the page of a payer without an account: no session, no sign-in, nothing of the console. */
export function showPayPage({ services }: Settings): void {
	const place = document.getElementById("page");
	if (place === null) throw new Error("index.html has no element #page.");
	const code = decodeURIComponent(location.pathname.split("/")[2] ?? "");
	createRoot(place).render(
		<StrictMode>
			<QueryClientProvider client={new QueryClient()}>
				<PayPage treasuryUrl={services.treasury ?? location.origin} code={code} />
			</QueryClientProvider>
		</StrictMode>,
	);
}
