import { OfflineNotice } from "@lango/interface";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, StrictMode } from "react";
import { createRoot, type Root } from "react-dom/client";
import type { Settings } from "../../settings.ts";
import { OfflinePage } from "../errors/offline-page.tsx";
import { PayPage } from "./pay-page.tsx";

/** Shows the page of a payer without an account: no session, no sign-in, nothing of the console. */
export function showPayPage({ services }: Settings): void {
	const code = decodeURIComponent(location.pathname.split("/")[2] ?? "");
	// Without a network a mutation fails. It is not repeated when the network returns.
	const queries = new QueryClient({ defaultOptions: { mutations: { networkMode: "always" } } });
	show(
		<QueryClientProvider client={queries}>
			<PayPage treasuryUrl={services.treasury ?? location.origin} code={code} />
			<OfflineNotice />
		</QueryClientProvider>,
	);
}

/** Shows that there is no network, until the page can be shown. */
export function showOffline(): void {
	show(<OfflinePage />);
}

let root: Root | undefined;

function show(content: ReactNode): void {
	const place = document.getElementById("page");
	if (place === null) throw new Error("index.html has no element #page.");
	root ??= createRoot(place);
	root.render(<StrictMode>{content}</StrictMode>);
}
