import { ClientProvider } from "@lango/client/react";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { type ReactNode, StrictMode, startTransition } from "react";
import { createRoot, type Root } from "react-dom/client";
import { createQueryClient } from "./notices/create-query-client.ts";
import { ErrorPage } from "./pages/errors/error-page.tsx";
import { OfflinePage } from "./pages/errors/offline-page.tsx";
import { type Platform, PlatformContext } from "./platform.ts";
import { consoleRouter } from "./routes.tsx";

const router = consoleRouter();

/** Loads the code of the page of the address. */
export const preparePages = (): Promise<void> => router.load();

/** Shows the page of the address. */
export function showPages(platform: Platform): void {
	const { client } = platform;
	show(
		<PlatformContext value={platform}>
			<ClientProvider client={client}>
				<QueryClientProvider client={createQueryClient(client)}>
					<RouterProvider router={router} />
				</QueryClientProvider>
			</ClientProvider>
		</PlatformContext>,
	);
}

/** Shows that the console cannot be started, and reports why. */
export function showBroken(cause: unknown): void {
	reportError(cause);
	show(<ErrorPage />);
}

/** Shows that there is no network, until something else is shown. */
export function showOffline(): void {
	show(<OfflinePage />);
}

let root: Root | undefined;

function show(content: ReactNode): void {
	const place = document.getElementById("page");
	if (place === null) throw new Error("index.html has no element #page.");
	root ??= createRoot(place);
	// In small steps, so that the browser answers to the person meanwhile.
	startTransition(() => root?.render(<StrictMode>{content}</StrictMode>));
}
