import { useClient } from "@lango/client/react";
import { Button } from "@lango/interface";
import { PlainPage } from "../../layout/plain-page.tsx";
import { clearSignedOut } from "../../session/sign-out-mark.ts";
import { useTexts } from "../../texts/texts.ts";
import { useSignInTexts } from "./texts.ts";

/**
 * Shown after the session of this tab ended. The sign-in waits for a click, so that a shared device can
 * stay here.
 */
export function SignedOutPage({ tenant }: { tenant: string | undefined }) {
	const client = useClient();
	const { signedOut: words } = useSignInTexts();
	const { signIn } = useTexts();
	const again = () => {
		clearSignedOut();
		client.signIn(tenant === undefined ? {} : { tenant }).catch(reportError);
	};
	return (
		<PlainPage title={words.title} text={words.text}>
			<Button kind="action" onClick={again}>
				{signIn}
			</Button>
		</PlainPage>
	);
}
