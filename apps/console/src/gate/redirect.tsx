import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { LoadingPage } from "../pages/loading/loading-page.tsx";

/** Goes on to another address of these pages, in place of this one. */
export function Redirect({ to }: { to: string }) {
	const { history } = useRouter();
	useEffect(() => history.replace(to), [history, to]);
	return <LoadingPage />;
}
