// SPDX-License-Identifier: MIT
// What is shown where a page cannot be: its files did not come, or it has a fault.
import { Component, type ReactNode } from 'react';
import { Failed } from '../parts/state';

export class Caught extends Component<{ children: ReactNode }, { why: Error | null }> {
	override state = { why: null };
	static getDerivedStateFromError = (why: Error) => ({ why });
	override render() {
		return this.state.why ? <Failed why={this.state.why} again={() => location.reload()} /> : this.props.children;
	}
}
